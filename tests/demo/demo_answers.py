#!/usr/bin/env python3
"""Checks the demonstration programs: demo_answers.py PTCC. Each is run over a small data set and its answer compared with one
that this file works out from the same rows, in Python and in other ways than the programs do."""
import collections
import datetime
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = os.path.join(ROOT, "tools", "demo_programs")


def field(row, name):
    """A field in any of the three spellings."""
    first, *others = name.split("_")
    for key in (name, name.replace("_", "-"), first + "".join(w.capitalize() for w in others)):
        if row.get(key) is not None:
            return row[key]
    return None


def number(value):
    if not isinstance(value, str):
        return value
    try:
        return float(value.strip().replace(",", "."))
    except ValueError:
        return None


def status(order):
    return (order.get("status") or "").strip().lower()


def items_total(order):
    return sum(number(item["qty"]) * number(field(item, "unit_price")) for item in order["items"])


def credible(order):
    n = number(order.get("total"))
    return n if n is not None and 0 < n < 100000 else 0


def day(text):
    return datetime.date.fromisoformat(text[:10]).toordinal() if text else None


def by(rows, key):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


class Shop:
    def __init__(self, folder):
        self.all_orders, self.customers, self.products = (
            json.load(open(os.path.join(folder, name + ".json"), encoding="utf-8")) for name in ("orders", "customers", "products"))
        self.orders = list({order["id"]: order for order in reversed(self.all_orders)}.values())[::-1]
        self.orders.sort(key=lambda o: o["id"])

    def top_customers(self):
        names = {c["id"]: c for c in self.customers}
        sold = [o for o in self.orders if status(o) in ("shipped", "delivered") and field(o, "customer_id")]
        rows = [{"name": names[c]["name"].strip(), "country": names[c].get("country", "unknown"), "orders": len(os_),
                 "revenue": sum(map(items_total, os_))} for c, os_ in by(sold, lambda o: field(o, "customer_id")).items()]
        rows.sort(key=lambda r: -r["revenue"])
        return [dict(r, revenue=f"{r['revenue']:.2f}") for r in rows[:10]]

    def monthly_revenue(self):
        sums = collections.Counter()
        for order in self.orders:
            if status(order) not in ("cancelled", "returned"):
                sums[field(order, "ordered_at")[:7]] += credible(order)
        return {"months": len(sums), "best": max(sums, key=sums.get),
                "growth": f"{100 * (sums['2025-06'] / sums['2024-06'] - 1):.1f} %"}

    def basket_pairs(self):
        """Only what does not depend on how ties are ordered."""
        baskets = [sorted({field(i, "product_id") for i in o["items"]} - {None}) for o in self.orders]
        baskets = [b for b in baskets if len(b) > 1]
        single = collections.Counter(itertools.chain(*baskets))
        pairs = collections.Counter(p for b in baskets for p in itertools.combinations(b, 2))
        lifts = sorted((n * len(baskets) / (single[a] * single[b]) for (a, b), n in pairs.items() if n >= 20), reverse=True)
        return [f"{lift:.1f}" for lift in lifts[:8]]

    def late_shipments(self):
        late = {o["id"]: (o["source"], day(field(o, "shipped_at")) - day(field(o, "promised_at"))) for o in self.orders
                if field(o, "shipped_at") and field(o, "promised_at")}
        shops = {}
        for shop in {s for s, _ in late.values()}:
            known = [d for s, d in late.values() if s == shop]
            after = [d for d in known if d > 0]
            shops[shop] = {"shipped": len(known), "late": len(after), "percent": f"{100 * len(after) / len(known):.1f}",
                           "mean-days-late": f"{sum(after) / len(after):.2f}"}
        worst = sorted(late, key=lambda i: (-late[i][1], i))[:5]
        return {"by-shop": shops, "worst": worst, "undated": len(self.orders) - len(late)}

    def data_quality(self):
        def report(rules, rows):
            found = {}
            for name, broken in rules.items():
                bad = [row["id"] for row in rows if broken(row)]
                found[name] = {"rows": len(bad), "example": bad[0] if bad else None}
            return found

        order_rules = {
            "no customer": lambda o: field(o, "customer_id") is None,
            "no status": lambda o: o.get("status") is None,
            "status is untidy": lambda o: o.get("status") is not None and o["status"] != status(o),
            "total is text": lambda o: isinstance(o.get("total"), str),
            "total is impossible": lambda o: o.get("total") is not None and not credible(o),
            "total is not the items'": lambda o: number(o.get("total")) is not None and abs(number(o["total"]) - items_total(o)) > 0.05,
            "product named by hand": lambda o: any(field(i, "product_id") is None for i in o["items"])}
        customer_rules = {
            "no country": lambda c: c.get("country") is None,
            "blank at end": lambda c: c["name"] != c["name"].strip(),
            "e-mail unusable": lambda c: not re.fullmatch(r"[^@\s]+@[^@\s]+\.[a-z]+", (c.get("email") or "").lower())}
        return {"orders": report(order_rules, self.orders), "customers": report(customer_rules, self.customers),
                "sent-twice": len(self.all_orders) - len(self.orders)}

    def product_match(self):
        """How many spellings there are, and how many are close to some name in the catalogue."""
        def letters(text):
            tidy = " ".join(text.lower().split())
            return {tidy[i:i + 3] for i in range(len(tidy) - 2)}

        names = [letters(p["name"]) for p in self.products]
        typed = {i["product-name"] for o in self.all_orders for i in o["items"] if "product-name" in i}
        best = [max(2 * len(letters(t) & n) / (len(letters(t)) + len(n)) for n in names) for t in typed]
        return {"spellings": len(typed), "matched": sum(score >= 0.6 for score in best)}

    def cohort_retention(self):
        def quarter(order):
            year, month = field(order, "ordered_at")[:7].split("-")
            return int(year) * 4 + (int(month) - 1) // 3

        active = {c: {quarter(o) for o in os_} for c, os_ in by(self.all_orders, lambda o: field(o, "customer_id")).items() if c}
        return {"cohorts": len({min(q) for q in active.values()}), "customers": len(active),
                "loyal": sum(len(q) == 8 for q in active.values())}

    def segments(self):
        """How many customers there are and what they spent, whatever segment they are in."""
        known = [o for o in self.orders if field(o, "customer_id")]
        return {"customers": len({field(o, "customer_id") for o in known}), "spent": sum(map(credible, known))}


# What of a program's answer can be compared.
VIEWS = {
    "basket_pairs": lambda answer: [row["lift"] for row in answer],
    "product_match": lambda answer: {key: answer[key] for key in ("spellings", "matched")},
    "segments": lambda answer: {"customers": sum(s["customers"] for s in answer), "spent": sum(s["spent"] for s in answer)},
}


def same(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) or isinstance(b, float):
        return abs(a - b) <= max(10, 1e-6 * abs(a))  # sums of rounded sums
    return a == b


def main():
    ptcc = sys.argv[1]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(ROOT, "tools", "gen_demo_data.py"), folder, "--orders", "2000"],
                       check=True, stdout=subprocess.DEVNULL)
        shop = Shop(folder)
        context = {"orders": shop.all_orders, "customers": shop.customers, "products": shop.products}
        names = sorted(name[:-4] for name in os.listdir(PROGRAMS) if name.endswith(".ptc"))
        requests = "".join(json.dumps({"id": name, "src": open(os.path.join(PROGRAMS, name + ".ptc"), encoding="utf-8").read(),
                                       "context": context, "limits": {"timeout_ms": 240000}}) + "\n" for name in names)
        done = subprocess.run([ptcc, "eval", "--batch"], input=requests, capture_output=True, text=True, check=True)
        for name, line in zip(names, done.stdout.splitlines(), strict=True):
            answer = json.loads(line)
            got = answer.get("json")
            expected = getattr(shop, name)()
            if answer["outcome"] == "ok":
                got = VIEWS.get(name, lambda whole: whole)(got)
            ok = answer["outcome"] == "ok" and same(expected, got)
            failures += not ok
            print(f"{'ok    ' if ok else 'FAILED'} {name}: fuel {answer.get('usage', {}).get('fuel')}")
            if not ok:
                print(f"  expected {json.dumps(expected, ensure_ascii=False)}\n  got      {json.dumps(got, ensure_ascii=False)}"
                      f" {json.dumps(answer.get('error'), ensure_ascii=False)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
