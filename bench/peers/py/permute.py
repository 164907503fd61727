"""Permute: all permutations of a list by recursive swapping and swapping back, counting the calls."""


class State:
    def __init__(self, n):
        self.items = list(range(n))
        self.calls = 0
        self.sum = 7


def swap(items, i, j):
    items[i], items[j] = items[j], items[i]


def permute(state, n):
    state.calls += 1
    if n == 0:
        state.sum = (state.sum * 31 + state.items[0]) % 1000000007
        return
    permute(state, n - 1)
    for i in range(n - 1, -1, -1):
        swap(state.items, n - 1, i)
        permute(state, n - 1)
        swap(state.items, n - 1, i)


def run(data):
    state = State(data["n"])
    permute(state, data["n"])
    return (state.calls * 1000 + state.sum + state.items[-1]) % 1000000007
