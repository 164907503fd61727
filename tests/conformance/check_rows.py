#!/usr/bin/env python3
"""check_rows.py PTCC ROWS.jsonl NOT_YET.txt: every row holds, but for those that NOT_YET lists; and those do not.

NOT_YET has a row's id a line, or a prefix that ends in *; what follows a # is the reason. A listed row that holds fails the
test too, so that the list only shrinks.
"""
import json
import subprocess
import sys


def read_list(path):
    entries = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            entry = line.split("#")[0].strip()
            if entry:
                entries.append(entry)
    return entries


def is_listed(row_id, entries):
    return any(row_id == e or (e.endswith("*") and row_id.startswith(e[:-1])) for e in entries)


def main():
    ptcc, rows, not_yet = sys.argv[1:4]
    entries = read_list(not_yet)
    run = subprocess.run([ptcc, "conformance", rows], capture_output=True, text=True, check=False)
    passed, wrong, listed = 0, [], 0
    for line in run.stdout.splitlines():
        if not line.startswith("{"):
            continue
        row = json.loads(line)
        if row["ok"]:
            passed += 1
            if row["id"] in entries:
                wrong.append(f"{row['id']} holds now: take it off {not_yet}")
        elif is_listed(row["id"], entries):
            listed += 1
        else:
            wrong.append(f"{row['id']}: {row['why']}")
    for text in wrong:
        print(text)
    print(f"{passed} rows hold, {listed} are listed as not yet, {len(wrong)} wrong")
    if run.returncode not in (0, 1) or passed + listed == 0:
        print(f"ptcc ended with {run.returncode}")
        return 1
    return 1 if wrong else 0


sys.exit(main())
