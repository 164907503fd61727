#!/usr/bin/env python3
"""determinism_test.py PTCC EXPECTED ROWS.jsonl... [--update]: the same programs do the same in every build.

Each row's program is run, and what it gave (outcome, value, error, prints, memory, tool calls: as a digest), its fuel and its peak of bytes
are compared with the line that EXPECTED has for it. Every build is compared with the same file, so all that pass it agree with each other:
compilers, levels of optimisation, sanitizers, assertions. The rows are run forwards, then backwards by another process: what ran before
changes nothing either; then by four threads of one engine at once: nor does what runs beside. --update writes the file anew: a change of fuel is then seen in review.
"""
import hashlib
import json
import subprocess
import sys


def rows_of(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            limits = {"timeout_ms": 600000, **row.get("limits", {})}
            if "timeout_ms" in row.get("limits", {}):
                continue  # when its clock ends it depends on the machine
            yield {"id": row["id"], "src": row["src"], "limits": limits, **{k: row[k] for k in ("context", "memory", "history") if k in row}}


def answers(ptcc, requests, jobs=1):
    text = "".join(json.dumps(r) + "\n" for r in requests)
    fixed = ["--now", "2024-01-31T10:00:00Z", "--seed", "1"]
    run = subprocess.run([ptcc, "eval", "--batch", "--test-tools", "--jobs", str(jobs), *fixed], input=text, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{ptcc} ended with {run.returncode}: {run.stderr[-2000:]}")
    return [json.loads(line, parse_int=str, parse_float=str) for line in run.stdout.splitlines()]


def line_of(answer):
    usage = answer.pop("usage")
    digest = hashlib.sha256(json.dumps(answer, sort_keys=True).encode()).hexdigest()[:8]
    return f"{answer['id']} {usage['fuel']} {usage['peak_heap_bytes']} {digest}"


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    ptcc, expected_path, *paths = arguments
    requests = [r for path in paths for r in rows_of(path)]
    forwards = [line_of(a) for a in answers(ptcc, requests)]
    backwards = [line_of(a) for a in reversed(answers(ptcc, requests[::-1]))]
    beside = [line_of(a) for a in answers(ptcc, requests, jobs=4)]
    if len(forwards) != len(requests):
        sys.exit(f"{len(forwards)} answers to {len(requests)} programs")
    if "--update" in sys.argv:
        with open(expected_path, "w", encoding="utf-8") as out:
            out.write("# row, fuel, peak of bytes, digest of all that the program gave: written by determinism_test.py --update\n")
            out.write("\n".join(forwards) + "\n")
        print(f"{len(forwards)} programs written")
        return
    with open(expected_path, encoding="utf-8") as lines:
        expected = [line.rstrip("\n") for line in lines if not line.startswith("#")]
    wrong = 0
    for name, found in (("forwards", forwards), ("backwards", backwards), ("four at once", beside)):
        by_id = {line.split()[0]: line for line in expected}
        for line in found:
            known = by_id.pop(line.split()[0], "no such line")
            if line != known:
                wrong += 1
                if wrong <= 20:
                    print(f"{name}: {line}\nexpected: {known}")
        if by_id:
            wrong += len(by_id)
            print(f"{name}: no row for {', '.join(list(by_id)[:5])} ..")
    print(f"{len(forwards)} programs, {wrong} differ")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
