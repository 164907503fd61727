#!/usr/bin/env python3
"""Writes the demonstration data: gen_demo_data.py DIR [--orders N] [--seed S] -> orders.json, customers.json, products.json.

The same seed gives the same bytes on every machine. Three shops feed the order table and disagree about spelling: `web`
writes snake_case keys, `app` camelCase, `store` hyphens. On top of that comes what real tables have: missing fields and
nulls, numbers as text (some with a decimal comma), trailing blanks, letter case by mood, orders sent twice, products named
by hand instead of by id, and names from many alphabets. Files that are there already are not written again.
"""
import argparse
import datetime
import json
import os
import random
import sys

FIRST = ["Zoë", "Łukasz", "María José", "Søren", "Anaïs", "Björk", "İpek", "Nguyễn", "Jürgen", "Chloé", "Ava", "Noah", "Mia",
         "Liam", "Олена", "Иван", "Νίκος", "美咲", "太郎", "伟", "민준", "نور", "דוד", "प्रिया", "Amélie", "O'Neil", "Ada"]
LAST = ["Müller", "O’Connor", "García-López", "Nowak", "Åström", "Smith", "Öztürk", "Шевченко", "Παπαδόπουλος", "佐藤", "王",
        "김", "خان", "שלום", "शर्मा", "Dvořák", "Jensen", "Rossi", "Brown", "da Silva", "Kowalski", "Lovelace"]
COUNTRY = ["DE", "FR", "PL", "US", "JP", "BR", "IN", "UA", "GR", "KR", "TR", "SE"]
MATERIAL = ["Oak", "Walnut", "Steel", "Copper", "Linen", "Wool", "Glass", "Marble", "Bamboo", "Leather"]
STYLE = ["Nordic", "Classic", "Compact", "Folding", "Vintage", "Outdoor", "Café", "Mini"]
THING = {"lighting": ["Desk Lamp", "Floor Lamp", "Lantern"], "kitchen": ["Kettle", "Tea Pot", "Cutting Board", "Jug"],
         "furniture": ["Stool", "Side Table", "Bookshelf", "Bench"], "textile": ["Blanket", "Cushion", "Rug"],
         "office": ["Pen Holder", "Notebook", "Clock"]}
NOT_PRODUCTS = ["gift wrap", "???", "Versand", "voucher 20"]
STATUS = ["delivered"] * 60 + ["shipped"] * 22 + ["pending"] * 8 + ["cancelled"] * 6 + ["returned"] * 4
START = datetime.date(2024, 1, 1)
DAYS = 730


class Dice:
    """Chance from random.random() alone, whose sequence Python promises to keep."""

    def __init__(self, seed):
        self.next = random.Random(seed).random

    def below(self, n):
        return int(self.next() * n)

    def chance(self, p):
        return self.next() < p

    def pick(self, options):
        return options[self.below(len(options))]

    def skewed(self, n):
        """Below n, small values far more often: some customers and products are favourites."""
        return int(n * self.next() ** 1.7)


def number(dice, value):
    """A price as the three shops write it: mostly a number, at times text."""
    if dice.chance(0.92):
        return value
    text = f"{value:.2f}"
    return dice.pick([text, text + " ", " " + text, text.replace(".", ",")])


def untidy(dice, text):
    """Text as people type it."""
    roll = dice.below(20)
    if roll == 0:
        return text + " "
    if roll == 1:
        return text.upper()
    if roll == 2:
        return text.capitalize()
    return text


def mistyped(dice, name):
    """A product's name from memory: lower case, one slip, loose blanks."""
    at = 1 + dice.below(len(name) - 2)
    slip = dice.below(4)
    if slip == 0:
        name = name[:at] + name[at + 1:]
    elif slip == 1:
        name = name[:at] + name[at + 1] + name[at] + name[at + 2:]
    elif slip == 2:
        name = name.replace(" ", "  ", 1)
    return name.lower() + (" " if dice.chance(0.5) else "")


def make_products(dice, count):
    names = [(f"{m} {s} {t}", category) for category, things in sorted(THING.items()) for t in things for s in STYLE for m in MATERIAL]
    products = []
    for i in range(count):
        name, category = names.pop(dice.below(len(names)))
        price = 5 + dice.below(24000) / 100
        products.append({"id": f"P-{i:03}", "name": name, "category": None if dice.chance(0.02) else category,
                         "price": number(dice, price), "stock": dice.below(400), "_price": price})
    return products


def make_customers(dice, count):
    customers = []
    for i in range(count):
        joined = START + datetime.timedelta(days=dice.below(DAYS))
        customer = {"id": f"C-{i:04}", "name": dice.pick(FIRST) + " " + dice.pick(LAST), "email": f"user{i}@example.com",
                    "country": dice.pick(COUNTRY), "joined": joined.isoformat()}
        if dice.chance(0.06):
            customer["name"] += " "
        if dice.chance(0.05):
            customer["email"] = dice.pick([None, "", customer["email"].upper(), "user at example.com"])
        if dice.chance(0.03):
            del customer["country"]
        customers.append(customer)
    return customers


def respell(shop, key):
    if shop == "web":
        return key
    first, *others = key.split("_")
    return first + "".join(w.capitalize() for w in others) if shop == "app" else "-".join([first, *others])


def make_order(dice, at, customers, products):
    shop = dice.pick(["web", "web", "app", "store"])
    day = START + datetime.timedelta(days=min(DAYS - 1, int(DAYS * dice.next() ** 0.8)))
    clock = f"T{dice.below(24):02}:{dice.below(60):02}:{dice.below(60):02}Z"
    status = dice.pick(STATUS)
    items = []
    worth = 0
    start = dice.skewed(len(products))
    for _ in range(1 + dice.skewed(6)):
        # Products close to each other in the catalogue sell together, so that baskets have something to find.
        product = products[(start + dice.skewed(8)) % len(products)]
        quantity = dice.pick([1, 1, 1, 2, 2, 3, 6])
        worth += quantity * product["_price"]
        item = {"product_id": product["id"], "qty": quantity, "unit_price": number(dice, product["_price"])}
        if shop == "store" and dice.chance(0.15):
            del item["product_id"]
            item["product_name"] = mistyped(dice, product["name"]) if dice.chance(0.97) else dice.pick(NOT_PRODUCTS)
        if dice.chance(0.01):
            item["qty"] = str(quantity)
        items.append({respell(shop, key): value for key, value in item.items()})
    promised = day + datetime.timedelta(days=2 + dice.below(5))
    order = {"id": f"O-{at:05}", "customer_id": customers[dice.skewed(len(customers))]["id"], "source": shop,
             "ordered_at": day.isoformat() + ("" if shop == "store" else clock), "status": untidy(dice, status),
             "promised_at": promised.isoformat(), "shipped_at": None, "items": items,
             "total": number(dice, round(worth, 2))}
    if status in ("shipped", "delivered", "returned"):
        order["shipped_at"] = (day + datetime.timedelta(days=1 + dice.skewed(9))).isoformat()
    if dice.chance(0.02):
        del order[dice.pick(["customer_id", "status", "total", "promised_at"])]
    if dice.chance(0.01):
        order["total"] = dice.pick([0, -1, "n/a", 999999])
    return {respell(shop, key): value for key, value in order.items()}


def make_orders(dice, count, customers, products):
    orders = []
    for at in range(count):
        orders.append(make_order(dice, at, customers, products))
        if dice.chance(0.012):
            orders.append(dict(dice.pick(orders[-50:])))
    return orders


def write(path, rows):
    rows = [{k: v for k, v in row.items() if not k.startswith("_")} for row in rows]
    with open(path + ".part", "w", encoding="utf-8") as out:
        out.write("[\n" + ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows) + "\n]\n")
    os.replace(path + ".part", path)
    print(f"    {path}: {len(rows):,} rows, {os.path.getsize(path):,} bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dir")
    parser.add_argument("--orders", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=2024)
    options = parser.parse_args()
    stamp = os.path.join(options.dir, "made-with")
    made_with = f"orders {options.orders}, seed {options.seed}, generator {os.path.getsize(__file__)} bytes\n"
    if os.path.exists(stamp) and open(stamp, encoding="utf-8").read() == made_with:
        print(f"    {options.dir} is up to date")
        return 0
    os.makedirs(options.dir, exist_ok=True)
    dice = Dice(options.seed)
    products = make_products(dice, max(20, options.orders // 40))
    customers = make_customers(dice, max(20, options.orders // 10))
    write(os.path.join(options.dir, "orders.json"), make_orders(dice, options.orders, customers, products))
    write(os.path.join(options.dir, "customers.json"), customers)
    write(os.path.join(options.dir, "products.json"), products)
    with open(stamp, "w", encoding="utf-8") as out:
        out.write(made_with)
    return 0


if __name__ == "__main__":
    sys.exit(main())
