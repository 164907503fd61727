#!/usr/bin/env python3
"""Python as CPython runs it.

  host.py bench SCRIPT_DIR DATA_DIR WORKLOAD REPS  workload<TAB>ms<TAB>check, one line a repetition
  host.py fresh SCRIPT JSON N NAME                 load the data, compile, run: in new globals, which is no sandbox
  host.py trivial N NAME                           the same for 1 + 2 without data

CPU time is that of the process. CPython has no second interpreter in a process that would cost what a session does, so there is no
`idle` here, and `create` and `destroy` are no phases of a fresh evaluation.
"""
import gc
import importlib.util
import json
import os
import sys
import time

WARM_UPS = 50
sys.dont_write_bytecode = True  # nothing is left beside the programs
RECURSION_LIMIT = 50_000  # deep_rec goes 10,000 calls deep


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def load(path):
    """The module in a file, whatever its name is."""
    spec = importlib.util.spec_from_file_location("workload", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def set_up(scripts, data, name):
    """(function, its input) of a workload. WORKLOAD.py has run(data), which gets what WORKLOAD.json holds; the first workloads stand
    together, as (set-up, run) by name, in bench.py."""
    own = os.path.join(scripts, name + ".py")
    if os.path.exists(own):
        return load(own).run, json.loads(read_text(os.path.join(data, name + ".json")))
    prepare, run = load(os.path.join(scripts, "bench.py")).WORKLOADS[name]
    return run, prepare(lambda file: read_text(os.path.join(data, file)))


def bench(scripts, data, name, repetitions):
    run, given = set_up(scripts, data, name)
    for _ in range(repetitions):
        gc.collect()
        before = time.process_time()
        check = run(given)
        print(f"{name}\t{(time.process_time() - before) * 1e3:.3f}\t{check:.0f}", flush=True)


def percentile(values, p):
    return sorted(values)[min(len(values) - 1, int(p * len(values)))]


def fresh(source, context, n, name):
    """Evaluates `source`, which leaves its answer in `result`, `n` times."""
    phases = {"context": [], "compile": [], "run": []}
    totals = []
    for i in range(-WARM_UPS, n):
        times = [time.perf_counter()]
        names = {}
        if context is not None:
            names["ctx"] = json.loads(context)
        times.append(time.perf_counter())
        code = compile(source, "program", "exec")
        times.append(time.perf_counter())
        exec(code, names)  # pylint: disable=exec-used
        times.append(time.perf_counter())
        if i < 0:
            continue
        totals.append((times[-1] - times[0]) * 1e6)
        for phase, before, after in zip(phases, times, times[1:]):
            phases[phase].append((after - before) * 1e6)
    if context is None:
        del phases["context"]
    figures = [f"n={n}"] + [f"{key}={percentile(totals, p):.2f}" for key, p in (("p50", 0.5), ("p99", 0.99), ("min", 0.0))]
    figures += [f"{phase}={percentile(values, 0.5):.2f}" for phase, values in phases.items()]
    print("\t".join([name, *figures]))
    print(f"answer\t{names['result']}")


def main():
    sys.setrecursionlimit(RECURSION_LIMIT)
    command, *args = sys.argv[1:] or [""]
    if command == "bench" and len(args) == 4:
        bench(args[0], args[1], args[2], int(args[3]))
    elif command == "fresh" and len(args) == 4:
        fresh(read_text(args[0]), read_text(args[1]), int(args[2]), args[3])
    elif command == "trivial" and len(args) == 2:
        fresh("result = 1 + 2", None, int(args[0]), args[1])
    else:
        sys.exit("usage: bench SCRIPT_DIR DATA_DIR WORKLOAD REPS | fresh SCRIPT JSON N NAME | trivial N NAME")


if __name__ == "__main__":
    main()
