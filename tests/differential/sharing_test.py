#!/usr/bin/env python3
"""sharing_test.py PTCC GENERATOR COUNT ROWS.jsonl...: no program can tell an update in place from a copy.

PTCC is a build with assertions: with PTC_FORCE_SHARING in its environment it changes no value in place. Both ways evaluate the rows' programs and COUNT generated
ones; outcome, value, error, prints, memory and tool calls must be the same. Fuel and bytes are not: copies cost both.
"""
import json
import os
import subprocess
import sys


def rows_of(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if "src" not in row:
                continue
            request = {"id": row["id"], "src": row["src"], "limits": {"timeout_ms": 600000}}
            for key in ("context", "memory", "history"):
                if key in row:
                    request[key] = row[key]
            if not row.get("limits"):  # a breach comes earlier or later
                yield request


def answers(ptcc, requests, **environment):
    text = "".join(json.dumps(r) + "\n" for r in requests)
    run = subprocess.run([ptcc, "eval", "--batch", "--test-tools"], input=text, capture_output=True, text=True, check=False,
                         env={**os.environ, **environment})
    if run.returncode != 0:
        sys.exit(f"{ptcc} ended with {run.returncode}: {run.stderr[-2000:]}")
    return [json.loads(line, parse_int=str) for line in run.stdout.splitlines()]


def seen(answer):
    """What a program or its host can see, but for what depends on the budget or the clock."""
    answer = {k: v for k, v in answer.items() if k != "usage"}
    if answer.get("error", {}).get("reason") in ("fuel_exhausted", "memory_exceeded", "timeout"):
        return "a limit" # copies cost more: another one may come first
    return answer


def depends_on_the_run(source):
    return any(word in source for word in ("budget", "System/", "Instant/now", "LocalDate/now", "java.util.Date", "rand", "shuffle"))


def main():
    ptcc, generator, count = sys.argv[1:4]
    requests = []
    for path in sys.argv[4:]:
        requests += [r for r in rows_of(path) if not depends_on_the_run(r["src"])]
    generated = subprocess.run([generator, "1", count], capture_output=True, text=True, check=True)
    requests += [json.loads(line) for line in generated.stdout.splitlines()]
    different, ended, copied = 0, 0, 0
    for request, one, other in zip(requests, answers(ptcc, requests), answers(ptcc, requests, PTC_FORCE_SHARING="1"), strict=True):
        ended += one["outcome"] != "error"
        copied += one["usage"]["fuel"] != other["usage"]["fuel"]
        if seen(one) != seen(other):
            different += 1
            print(f"program: {request['src']}\n  in place: {json.dumps(seen(one))}\n  shared:   {json.dumps(seen(other))}")
    print(f"{len(requests)} programs, {ended} of them without an error, {different} with a difference")
    if ended < len(requests) // 2:
        print("too few of them ran to an end to say anything")
        return 1
    if copied == 0:
        print("PTC_FORCE_SHARING changes nothing: no program cost more without updates in place")
        return 1
    return 1 if different else 0


sys.exit(main())
