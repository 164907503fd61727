"""Three-way join of record lists (customers, orders, items) by hash index, then totals by country and month and best customers."""
from collections import defaultdict


def index_by(field, records):
    return {record[field]: record for record in records}


def join_all(customers, orders, items):
    customer_of, order_of = index_by("id", customers), index_by("id", orders)
    rows = []
    for item in items:
        order = order_of.get(item["order"])
        customer = order and customer_of.get(order["customer"])
        if customer:
            rows.append({
                "order": item["order"],
                "sku": item["sku"],
                "quantity": item["quantity"],
                "price": item["price"],
                "amount": item["quantity"] * item["price"],
                "month": order["date"][:7],
                "channel": order["channel"],
                "name": customer["name"],
                "country": customer["country"],
                "segment": customer["segment"],
            })
    return rows


def totals_by(key_of, rows):
    totals = defaultdict(int)
    for row in rows:
        totals[key_of(row)] += row["amount"]
    return totals


def hash_text(h, text):
    for byte in text.encode():
        h = (h * 31 + byte) % 1000000007
    return h


def run(data):
    customers, orders, items = data["customers"], data["orders"], data["items"]
    rows = join_all(customers, orders, items)
    report = [f"joined {len(rows)} of {len(items)}"]
    for key_of in (lambda row: f"{row['country']} {row['month']}", lambda row: f"{row['segment']}/{row['channel']}"):
        report += [f"{key} {total}" for key, total in sorted(totals_by(key_of, rows).items())]
    countries = defaultdict(list)
    for row in rows:
        countries[row["country"]].append(row)
    for country in sorted(countries):
        totals = totals_by(lambda row: row["name"], countries[country])
        best = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
        report += [f"{country} {name} {total}" for name, total in best[:3]]
    buyers = {order["customer"] for order in orders}
    idle = [customer for customer in customers if customer["id"] not in buyers]
    report += [customer["name"] for customer in sorted(idle, key=lambda customer: customer["id"])]
    h = 7
    for line in report:
        h = hash_text(h, line)
    return h
