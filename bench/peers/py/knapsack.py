"""Knapsack (each item once): a table of best values by item and capacity, then the chosen items read back from it."""


def best_rows(items, capacity):
    before = [0] * (capacity + 1)
    rows = [before]
    for item in items:
        weight, value = item["weight"], item["value"]
        row = []
        for c in range(capacity + 1):
            best = before[c]
            if c >= weight:
                other = before[c - weight] + value
                if other > best:
                    best = other
            row.append(best)
        rows.append(row)
        before = row
    return rows


def chosen(rows, items, capacity):
    """Walks the rows backwards: an item was taken where its row differs from the one before."""
    taken = []
    for i in range(len(items), 0, -1):
        if rows[i][capacity] != rows[i - 1][capacity]:
            taken.insert(0, items[i - 1])
            capacity -= items[i - 1]["weight"]
    return taken


def mix(h, x):
    return (h * 31 + x) % 1000000007


def run(data):
    items, capacity = data["items"], data["capacity"]
    rows = best_rows(items, capacity)
    last = rows[-1]
    taken = chosen(rows, items, capacity)
    h = last[capacity]
    for item in taken:
        h = mix(h, item["id"])
    h = mix(mix(h, sum(item["weight"] for item in taken)), sum(item["value"] for item in taken))
    for value in last[::100]:
        h = mix(h, value)
    return h
