"""A sales report from CSV text: splitting lines, quoted fields, amounts in cents, totals by region, month and product."""
import re
from collections import defaultdict

CENTS = re.compile(r"(\d+)\.(\d+)")


def split_line(line):
    fields = []
    position = 0
    while True:
        if line.startswith('"', position):
            parts = []
            start = position + 1
            while True:
                quote = line.index('"', start)
                parts.append(line[start:quote])
                if not line.startswith('"', quote + 1):
                    position = quote + 1
                    break
                parts.append('"')
                start = quote + 2
            fields.append("".join(parts))
        else:
            comma = line.find(",", position)
            end = len(line) if comma < 0 else comma
            fields.append(line[position:end])
            position = end
        if position >= len(line):
            return fields
        position += 1


def parse_csv(text):
    header, *lines = [split_line(line) for line in text.split("\n") if line]
    return [dict(zip(header, fields)) for fields in lines]


def parse_cents(text):
    whole, cents = CENTS.fullmatch(text).groups()
    return int(whole) * 100 + int(cents)


def money(cents):
    return f"{cents // 100}.{cents % 100:02d}"


def totals_by(sales, field):
    totals = defaultdict(int)
    for sale in sales:
        totals[sale[field]] += sale["amount"]
    return totals


def total(sales):
    return sum(sale["amount"] for sale in sales)


def best(totals):
    name, amount = min(totals.items(), key=lambda item: (-item[1], item[0]))
    return f"{name} {money(amount)}"


def region_lines(region, sales):
    yield f"{region}: {len(sales)} orders, {money(total(sales))}"
    yield f"  best product {best(totals_by(sales, 'product'))}"
    yield f"  best customer {best(totals_by(sales, 'customer'))}"
    for month, amount in sorted(totals_by(sales, "month").items()):
        yield f"  {month} {money(amount)}"


def hash_text(h, text):
    for byte in text.encode():
        h = (h * 31 + byte) % 1000000007
    return h


def run(data):
    sales = []
    regions = defaultdict(list)
    units = 0
    for row in parse_csv(data["text"]):
        if row["status"] != "paid":
            continue
        row["quantity"] = int(row["quantity"])
        row["amount"] = row["quantity"] * parse_cents(row["price"])
        row["month"] = row["date"][:7]
        sales.append(row)
        units += row["quantity"]
        regions[row["region"]].append(row)
    report = [line for region in sorted(regions) for line in region_lines(region, regions[region])]
    report += [f"units {units}", f"total {money(total(sales))}"]
    h = 7
    for line in report:
        h = hash_text(h, line)
    return h
