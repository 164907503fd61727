"""Sieve of Eratosthenes over a list of flags, counting and summing the primes."""


def sieve(n):
    flags = [True] * (n + 1)
    flags[0] = flags[1] = False
    p = 2
    while p * p <= n:
        if flags[p]:
            for i in range(p * p, n + 1, p):
                flags[i] = False
        p += 1
    return flags


def run(data):
    count = total = 0
    for i, is_prime in enumerate(sieve(data["n"])):
        if is_prime:
            count += 1
            total += i
    return (31 * count + total) % 1000000007
