"""Fannkuch: all permutations of n numbers in rotation order, counting the prefix reversals each needs."""


def count_flips(perm):
    scratch = perm[:]
    flips = 0
    while top := scratch[0]:
        scratch[: top + 1] = scratch[top::-1]
        flips += 1
    return flips


def advance(perm, turns):
    """Steps perm to the next permutation; False when all have been seen."""
    for i in range(1, len(perm)):
        perm.insert(i, perm.pop(0))
        if turns[i] < i:
            turns[i] += 1
            return True
        turns[i] = 0
    return False


def run(data):
    n = data["n"]
    perm, turns = list(range(n)), [0] * n
    checksum = most = 0
    even = True
    while True:
        flips = count_flips(perm)
        checksum += flips if even else -flips
        most = max(most, flips)
        even = not even
        if not advance(perm, turns):
            return checksum * 100 + most
