"""Spectral norm: power iteration on an infinite matrix computed entry by entry, floating-point vectors."""
from math import floor, sqrt


def entry(i, j):
    s = i + j
    return 1.0 / (s * (s + 1) / 2 + i + 1)


def times_a(v):
    return [sum([entry(i, j) * x for j, x in enumerate(v)]) for i in range(len(v))]


def times_a_transposed(v):
    return [sum([entry(j, i) * x for j, x in enumerate(v)]) for i in range(len(v))]


def times_ata(v):
    return times_a_transposed(times_a(v))


def dot(u, v):
    return sum(x * y for x, y in zip(u, v))


def run(data):
    u = v = [1.0] * data["n"]
    for _ in range(10):
        v = times_ata(u)
        u = times_ata(v)
    return floor(sqrt(dot(u, v) / dot(v, v)) * 1e9 + 0.5)
