#!/usr/bin/env python3
"""Writes the inputs of the benchmark programs: gen_data.py DIR [SCALE]. The same bytes everywhere; the Lua programs build the
same records by the same formula (a Park-Miller generator), so that every peer computes the same answers."""
import json
import os
import sys

from workload_data import WORKLOADS

REGIONS = ["north", "south", "east", "west", "central"]
STATUSES = ["paid", "pending", "shipped", "cancelled"]


class ParkMiller:
    def __init__(self, seed):
        self.x = seed

    def __call__(self):
        self.x = self.x * 16807 % 2147483647
        return self.x


def orders(n):
    r = ParkMiller(42)
    return [{"id": i, "customer": f"c{r() % 1000}", "region": REGIONS[r() % 5], "status": STATUSES[r() % 4],
             "amount": (r() % 40000) / 4, "qty": 1 + r() % 9} for i in range(n)]


def users(n):
    return [{"id": f"u{j}", "name": f"n{j}", "tier": j % 3} for j in range(n)]


def sales(n):
    r = ParkMiller(7)
    return [{"id": i, "uid": f"u{r() % n}", "amount": (r() % 40000) / 4} for i in range(n)]


def numbers(n):
    r = ParkMiller(99)
    return [r() for _ in range(n)]


def words(size, seed):
    """Words of a vocabulary of 5,000, small ranks more often, until `size` bytes are reached: (word, separator, generator)."""
    r = ParkMiller(seed)
    vocabulary = ["".join(chr(97 + r() % 26) for _ in range(2 + r() % 8)) for _ in range(5000)]
    written = column = 0
    while written < size:
        rank = r() % 5000
        word = vocabulary[rank * (r() % 5000) // 5000]
        written += len(word) + 1
        column += 1
        yield word, "\n" if column % 12 == 0 else " ", r


def text(size):
    return "".join(word + separator for word, separator, _ in words(size, 5))


def mails(size):
    parts = []
    for at, (word, separator, r) in enumerate(words(size, 11)):
        is_address = at % 40 == 7
        parts.append(f"{word}{r() % 100}@{word}{'.com' if at % 3 else '.org'}" if is_address else word)
        parts.append(separator)
    return "".join(parts)


def main():
    folder = sys.argv[1]
    scale = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    os.makedirs(folder, exist_ok=True)

    def scaled(n):
        return max(4, int(n * scale))

    def write(name, value):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            out.write(value if isinstance(value, str) else json.dumps(value, separators=(",", ":")))

    write("orders.json", orders(scaled(100000)))
    write("users.json", users(scaled(50000)))
    write("sales.json", sales(scaled(50000)))
    write("nums.json", numbers(scaled(200000)))
    write("text.txt", text(scaled(2000000)))
    write("mails.txt", mails(scaled(1000000)))
    write("ctx100k.json", {"orders": orders(1100)})
    write("ctx200.json", {"orders": orders(200)})
    for name, make in WORKLOADS.items():
        write(name + ".json", make())


if __name__ == "__main__":
    main()
