#!/usr/bin/env python3
"""How fast workers carry missions whose model answers at once: store_bench.py PTCC URL [MISSIONS [WORKERS [TURNS]]]
And how that grows: store_bench.py PTCC URL --growth, with bin/store_load beside PTCC, in an empty store; the rows of STORE.md's tables.

Submits missions in one go, then starts workers and waits until nothing is left: missions and turns a second, from the first claim to the
last end, and commits by mission. Then, with idle workers, submits missions one by one: how long each waited for its start (p50, p99), by
the database's clock and the workers' log, which are one clock on one machine."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time


def percentile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))]


class Bench:
    def __init__(self, ptcc, url, folder, turns):
        self.ptcc, self.url, self.folder = ptcc, url, folder
        self.agent = os.path.join(folder, "agent.json")
        replies = [f"(def x{n} {n})" for n in range(turns - 1)] + ["(return data/n)"]
        with open(self.agent, "w", encoding="utf-8") as out:
            json.dump({"prompt": "x", "max_turns": turns + 1, "turn_budget": turns + 1, "llm": ["```clojure\n" + r + "\n```" for r in replies]}, out)

    def submit(self, prefix, count):
        lines = "".join(json.dumps({"id": f"{prefix}{n}", "context": {"n": n}}) + "\n" for n in range(count))
        start = time.monotonic()
        subprocess.run([self.ptcc, "submit", "--store", self.url, "--agent", self.agent, "--missions", "-"], input=lines, text=True,
                       stdout=subprocess.DEVNULL, check=True)
        return time.monotonic() - start

    def workers(self, count, *arguments):
        logs = [os.path.join(self.folder, f"log{n}") for n in range(count)]
        return logs, [subprocess.Popen([self.ptcc, "worker", "--store", self.url, *arguments], stderr=open(log, "wb")) for log in logs]

    def events(self, logs, event):
        found = {}
        for log in logs:
            with open(log, encoding="utf-8") as lines:
                for line in map(json.loads, lines):
                    if line["event"] == event and "mission" in line:
                        found[line["mission"]] = line["time_ms"]
        return found


GROWTH = ((100, 100), (10_000, 10_000), (100_000, 100_000), (1_000_000, 100_000)) # stored, waiting
WORKERS = (1, 2, 4, 8, 16)


def growth(ptcc, url):
    def load(*arguments):
        program = os.path.join(os.path.dirname(ptcc), "store_load")
        return subprocess.run([program, url, *map(str, arguments)], capture_output=True, text=True, check=True).stdout

    def figures(text, *patterns):
        return [found[1] if (found := re.search(pattern, text)) else "?" for pattern in patterns]
    stored = 0
    for count, waiting in GROWTH:
        load("fill", count - stored, waiting)
        stored = count
        for workers in WORKERS:
            times = figures(load("claims", workers, 3), r"(\d+) claims", r"claim: p50 ([0-9.]+)", r"claim: .*p99 ([0-9.]+)")
            load("fill", 0, min(waiting, 10_000))
            print(f"| {count:,} | {waiting:,} | {workers} | {' | '.join(times)} |", flush=True)
        counts, left, page = figures(load("looks"), r"counts: ([0-9.]+)", r"any: ([0-9.]+)", r"page of 1,000: ([0-9.]+)")
        print(f"| | counts {counts} ms, anything left {left} ms, a page {page} ms; {load('wake', 4, 150).strip()} |", flush=True)
    for workers in WORKERS:
        print(load("turns", workers, 400, 5).strip(), flush=True)


def main():
    if "--growth" in sys.argv:
        return growth(os.path.abspath(sys.argv[1]), sys.argv[2])
    ptcc, url = os.path.abspath(sys.argv[1]), sys.argv[2]
    missions, workers, turns = (int(n) for n in (sys.argv[3:] + ["2000", "4", "3"][len(sys.argv) - 3:])[:3])
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(ptcc, url, folder, turns)
        submitted = bench.submit("all", missions)
        print(f"submitted: {missions / submitted:.0f} missions a second, one process")
        logs, running = bench.workers(workers, "--until-empty")
        for worker in running:
            worker.wait()
        begins, ends = bench.events(logs, "claimed"), bench.events(logs, "done")
        seconds = (max(ends.values()) - min(begins.values())) / 1000
        print(f"carried: {len(ends)} missions of {turns} turns by {workers} workers in {seconds:.2f} s: "
              f"{len(ends) / seconds:.0f} missions and {len(ends) * turns / seconds:.0f} turns a second")
        logs, running = bench.workers(workers)
        time.sleep(2)
        count = 200
        for n in range(count):
            bench.submit(f"one{n}-", 1)
        time.sleep(2)
        for worker in running:
            worker.terminate()
            worker.wait()
        listed = subprocess.run([ptcc, "missions", "--store", url, "--json"], capture_output=True, text=True, check=True).stdout
        created = {m["id"]: m["created_ms"] for m in map(json.loads, listed.splitlines())}
        waited = [at - created[name] for name, at in bench.events(logs, "claimed").items()]
        print(f"from submit to start, idle workers: p50 {percentile(waited, 0.5)} ms, p99 {percentile(waited, 0.99)} ms, of {len(waited)}")


if __name__ == "__main__":
    main()
