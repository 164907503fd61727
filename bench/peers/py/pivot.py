"""Pivot tables over records: sums and maxima by two keys, row and column totals, shares, printed as text."""
from collections import defaultdict
from operator import add, itemgetter


def pivot(row_key, column_key, value_of, combine, records):
    rows = defaultdict(dict)
    for record in records:
        row, column, value = rows[row_key(record)], column_key(record), value_of(record)
        row[column] = combine(row[column], value) if column in row else value
    return rows


def column_totals(rows):
    totals = defaultdict(int)
    for row in rows.values():
        for column, value in row.items():
            totals[column] += value
    return totals


def lines_of(rows):
    totals = column_totals(rows)
    columns, grand = sorted(totals), sum(totals.values())

    def cells(row):
        return " ".join([str(row.get(column, "-")) for column in columns])

    yield f"key {' '.join(columns)}"
    for name in sorted(rows):
        total = sum(rows[name].values())
        yield f"{name} {cells(rows[name])} {total} {1000 * total // grand}%o"
    yield f"total {cells(totals)} {grand}"


def always(value):
    return lambda record: value


def month(record):
    return record["date"][:7]


def gross(record):
    return record["amount"] * record["units"]


def hash_text(h, text):
    for byte in text.encode():
        h = (h * 31 + byte) % 1000000007
    return h


def run(data):
    records = data["records"]
    region, product, seller, units = (itemgetter(field) for field in ("region", "product", "seller", "units"))
    tables = [
        pivot(region, month, gross, add, records),
        pivot(product, region, gross, add, records),
        pivot(product, month, units, add, records),
        pivot(month, region, itemgetter("amount"), max, records),
        pivot(seller, region, gross, add, records),
        pivot(seller, month, always(1), add, records),
        pivot(product, seller, units, add, records),
        pivot(seller, always("sales"), always(1), add, records),
    ]
    h = 7
    for table in tables:
        for line in lines_of(table):
            h = hash_text(h, line)
    return h
