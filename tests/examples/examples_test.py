#!/usr/bin/env python3
"""Runs an example over the demonstration data: examples_test.py BIN_FOLDER DATA_FOLDER NAME. What it prints is what the README of the
examples shows, and its answer is the one that this file works out from the same rows."""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "demo"))
from demo_answers import Shop, by, credible, field, status  # noqa: E402

SECONDS = 240  # after which it hangs


def json_lines(output):
    return [json.loads(line) for line in output.splitlines() if line.startswith(("{", "["))]


# ---- The answers, worked out in other ways than the programs do


def single_turn(shop):
    counts = collections.Counter(status(o) or "unknown" for o in shop.all_orders)
    return [[{"status": s, "orders": n} for s, n in counts.most_common()]]


def memory(shop):
    sums = collections.Counter()
    first = {o["id"]: o for o in reversed(shop.all_orders)}
    for order in first.values():
        if status(order) not in ("returned", "cancelled"):
            sums[order["source"]] += credible(order)
    ranked = [{"shop": name, "revenue": round(total, 2)} for name, total in sums.most_common()]
    return [ranked[0], ranked[-1]]


def firewall(shop):
    emails = [c["email"] for c in shop.customers if c.get("country") == "SE" and c["joined"] >= "2025-12-25" and c["email"] is not None]
    return [{"chosen": len(emails), "_emails": emails}, {"sent": len(emails)}]


def nested(shop):
    percent = {}
    for name, orders in by(shop.orders, lambda o: o["source"]).items():
        late = [field(o, "shipped_at") > field(o, "promised_at") for o in orders if field(o, "shipped_at") and field(o, "promised_at")]
        percent[name] = round(100 * sum(late) / len(late), 2)
    worst = max(percent, key=percent.get)
    return [{"shop": worst, "late_percent": percent[worst]}]


def classify(shop):
    things = {"Lamp": "lighting", "Lantern": "lighting", "Kettle": "kitchen", "Pot": "kitchen", "Board": "kitchen", "Jug": "kitchen",
              "Stool": "furniture", "Table": "furniture", "Bookshelf": "furniture", "Bench": "furniture", "Blanket": "textile",
              "Cushion": "textile", "Rug": "textile"}
    counts = collections.Counter(things.get(p["name"].split()[-1], "office") for p in shop.products)
    return [{"by_category": dict(counts), "filled_in": sum(p["category"] is None for p in shop.products), "disagree": []}]


def plan(shop):
    chosen = {c["id"]: c["name"].strip() for c in shop.customers if c.get("country") == "JP" and c["joined"].startswith("2025-11")}
    counts = collections.Counter(field(o, "customer_id") for o in shop.orders)
    best = max(chosen, key=lambda c: counts[c])
    return [None, {"name": chosen[best], "orders": counts[best]}]


def discovery(shop):
    counts = collections.Counter(c.get("country") for c in shop.customers)
    without = counts.pop(None)
    best = max(counts, key=counts.get)
    return [{"tools": ["count_customers_by_country", "missing_customers_by_country"]},
            {"without": without, "country": best, "customers": counts[best]}]


def approval(shop):
    return [{"paid": 40 + 100, "open": ["A-3"]}]  # 900 is denied, 130 cut to 100


def command_line(shop):
    return [{"countries": len({c["country"] for c in shop.customers if c.get("country")})}]


# ---- The README


def shown(name):
    """The commands that the README shows for an example, and what it says that they print."""
    with open(os.path.join(ROOT, "subagent", "examples", "README.md"), encoding="utf-8") as file:
        sections = re.split(r"\n## ", file.read())
    section = next(s for s in sections if f"`{name}.cpp`" in s or f"<!-- {name} -->" in s)
    commands, output = re.search(r"```sh\n(.*?)```\n.*?```text\n(.*?)```", section, re.DOTALL).groups()
    return commands, output


def same(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, float) or isinstance(b, float):
        return abs(a - b) < 0.02
    return a is None or a == b


def main():
    bin_folder, data, name = sys.argv[1:4]
    commands, output = shown(name)
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "build", "release"))
        os.symlink(os.path.abspath(bin_folder), os.path.join(folder, "build", "release", "bin"))
        os.symlink(os.path.abspath(data), os.path.join(folder, "build", "demo-data"))
        done = subprocess.run(["sh", "-e", "-c", commands], cwd=folder, capture_output=True, text=True, timeout=SECONDS)
    failures = []
    if done.returncode != 0:
        failures.append(f"exit code {done.returncode}: {done.stderr}")
    if done.stdout != output:
        failures.append(f"the README shows\n{output}\nbut it prints\n{done.stdout}")
    expected = globals()[name](Shop(data))
    got = json_lines(done.stdout)
    if len(expected) != len(got) or not all(map(same, expected, got)):
        failures.append(f"the answers are {expected}, but it prints {got}")
    print("\n".join(failures) or f"{name}: as in the README, and right")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
