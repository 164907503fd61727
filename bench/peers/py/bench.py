"""The first workloads for Python: name -> (set-up, run). A set-up gets a function that reads a data file as text."""
import re

REGIONS = ["north", "south", "east", "west", "central"]
STATUSES = ["paid", "pending", "shipped", "cancelled"]


def random(seed):
    """A function that gives the numbers of a Park-Miller generator."""
    x = seed

    def following():
        nonlocal x
        x = x * 16807 % 2147483647
        return x

    return following


def many_orders(_read):
    r = random(42)
    return [
        {
            "id": i,
            "customer": f"c{r() % 1000}",
            "region": REGIONS[r() % 5],
            "status": STATUSES[r() % 4],
            "amount": r() % 40000 / 4,
            "qty": 1 + r() % 9,
        }
        for i in range(100000)
    ]


def nothing(_read):
    return None


def weighted(values):
    return sum(i % 7 * value for i, value in enumerate(values))


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def run_fib(_):
    return fib(27)


def loop_sum(_):
    total = 0
    for i in range(3000000):
        total += i
    return total


def mandel(_):
    width = 256
    total = 0
    for py in range(width):
        cy = -1.5 + 3.0 * py / width
        for px in range(width):
            cx = -2.0 + 3.0 * px / width
            zr = zi = 0.0
            n = 0
            while n < 50 and zr * zr + zi * zi <= 4.0:
                zr, zi = zr * zr - zi * zi + cx, 2.0 * zr * zi + cy
                n += 1
            total += n
    return total


def adder(k):
    return lambda x: (x + k) % 1000003


def closures(_):
    result = 1
    for i in range(500000):
        first, second = adder(i), adder(i + 1)
        result = second(first(result))
    return result


def string_building(_):
    return len(",".join([f"item-{i}" for i in range(100000)]))


def pipeline(_):
    numbers = list(range(1000000))
    tripled = [x * 3 + 1 for x in numbers]
    return sum([x for x in tripled if x % 2 == 0])


def map_update(_):
    n = 200000
    found = {}
    for i in range(n):
        found[i * 7919 % 200003] = i
    return sum(found.get(i, 0) for i in range(n))


def vector_append(_):
    values = []
    for i in range(1000000):
        values.append(i)
    total = 0
    for value in values:
        total += value
    return total


def numbers_of(_read):
    r = random(99)
    return [r() for _ in range(200000)]


def sort_numbers(values):
    return weighted(sorted(values))


def sort_by_amount(orders):
    return weighted(order["amount"] for order in sorted(orders, key=lambda order: order["amount"])) * 4


def group_and_aggregate(orders):
    groups = {}
    for order in orders:
        groups.setdefault(order["customer"], []).append(order)
    rows = [
        {
            "customer": customer,
            "count": len(group),
            "total": sum(order["amount"] for order in group),
            "most": max(order["qty"] for order in group),
        }
        for customer, group in groups.items()
    ]
    rows.sort(key=lambda row: row["total"], reverse=True)
    return len(rows) + sum(row["total"] * 4 + row["count"] + row["most"] for row in rows[:10])


def users_and_sales(_read):
    r = random(7)
    n = 50000
    users = [{"id": f"u{j}", "name": f"n{j}", "tier": j % 3} for j in range(n)]
    sales = [{"id": i, "uid": f"u{r() % n}", "amount": r() % 40000 / 4} for i in range(n)]
    return users, sales


def join(data):
    users, sales = data
    index = {user["id"]: user for user in users}
    joined = []
    for sale in sales:
        user = index[sale["uid"]]
        if user["tier"] == 1:
            joined.append({**sale, "name": user["name"], "tier": user["tier"]})
    return len(joined) + sum(row["amount"] * 4 for row in joined)


def word_frequencies(text):
    from collections import Counter  # here, because Monty, which runs this file too, has no such module

    counts = Counter(text.split())
    return len(counts) + sum(count * 1000 for _, count in counts.most_common(10))


def mails(text):
    found = re.findall(r"[a-z0-9]+@[a-z]+\.com", text)
    return len(found) * 1000000 + sum(map(len, found))


def is_safe(queens, row, column):
    for i in range(row):
        queen = queens[i]
        distance = row - i
        if queen == column or queen == column + distance or queen == column - distance:
            return False
    return True


def place_queens(queens, row, n):
    if row == n:
        return 1
    count = 0
    for column in range(n):
        if is_safe(queens, row, column):
            queens[row] = column
            count += place_queens(queens, row + 1, n)
    return count


def n_queens(_):
    return sum(place_queens([0] * 8, 0, 8) for _ in range(10))


def sum_to(n):
    return 0 if n == 0 else n + sum_to(n - 1)


def deep_recursion(_):
    return sum(sum_to(10000) for _ in range(100))


def assoc_small(orders):
    priced = []
    for order in orders:
        total = order["amount"] * order["qty"]
        priced.append({**order, "total": total, "big": total > 5000})
    return sum(order["total"] for order in priced) * 4


def field_read(orders):
    total = 0
    for _ in range(10):
        for order in orders:
            total += order["amount"] * order["qty"]
    return total * 4


WORKLOADS = {
    "assoc_small": (many_orders, assoc_small),
    "closures": (nothing, closures),
    "deep_rec": (nothing, deep_recursion),
    "fib": (nothing, run_fib),
    "field_read": (many_orders, field_read),
    "group_agg": (many_orders, group_and_aggregate),
    "join": (users_and_sales, join),
    "loop_sum": (nothing, loop_sum),
    "mandel": (nothing, mandel),
    "map_update": (nothing, map_update),
    "nqueens": (nothing, n_queens),
    "pipeline": (nothing, pipeline),
    "regex": (lambda read: read("mails.txt"), mails),
    "sort_by": (many_orders, sort_by_amount),
    "sort_nums": (numbers_of, sort_numbers),
    "strbuild": (nothing, string_building),
    "vec_conj": (nothing, vector_append),
    "wordfreq": (lambda read: read("text.txt"), word_frequencies),
}
