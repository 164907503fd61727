#!/usr/bin/env python3
"""What programs of bench/ cost, against one file: counts_test.py H_PTC DATA_DIR EXPECTED [--update].

A line a program: its name, the fuel of a run, the instructions of a run and those of compiling it, as callgrind counts them in the
release build of g++ 12. Fuel must be the same, instructions within 3 %: what gets dearer, or cheaper, is seen, and a change that means
it brings the file with it (--update writes it). Counts are the same on a busy and on a slow machine."""
import os
import subprocess
import sys

TOLERANCE = 0.03
HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.path.join(HERE, "..", "..", "bench")
WHAT = ("fuel", "instructions of a run", "instructions of compiling")


def read(text):
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    return {name: tuple(map(int, figures)) for name, *figures in rows}


def counted(host, data, names):
    os.makedirs(data, exist_ok=True)
    if not os.path.exists(os.path.join(data, "print_table.json")): # which gen_data.py writes last
        subprocess.run([sys.executable, os.path.join(BENCH, "peers", "gen_data.py"), data], check=True)
    out = os.path.join(data, "callgrind.out")
    done = subprocess.run(["valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}", host, "counted",
                           os.path.join(BENCH, "programs"), data, *names],
                          env=os.environ | {"PTC_CALLGRIND_OUT": out}, check=True, capture_output=True, text=True)
    for name in os.listdir(data):
        if name.startswith("callgrind.out"):
            os.remove(os.path.join(data, name))
    return read(done.stdout)


def is_near(what, old, new):
    return new == old if what == "fuel" else abs(new - old) <= TOLERANCE * old


def main():
    host, data, expected_file, *options = sys.argv[1:]
    with open(expected_file, encoding="utf-8") as file:
        text = file.read()
    expected = read(text)
    found = counted(host, data, list(expected))
    differing = [f"{name}: {what} {old} -> {new} ({100 * (new / old - 1):+.1f} %)"
                 for name in expected for what, old, new in zip(WHAT, expected[name], found[name]) if not is_near(what, old, new)]
    print("\n".join(differing + [f"{len(expected)} programs, {len(differing)} figures differ"]))
    if "--update" in options:
        comments = [line for line in text.splitlines() if line.startswith("#")]
        lines = ["\t".join([name, *map(str, figures)]) for name, figures in sorted(found.items())]
        with open(expected_file, "w", encoding="utf-8") as file:
            file.write("\n".join(comments + lines) + "\n")
        return 0
    return 1 if differing or min(min(figures) for figures in found.values()) == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
