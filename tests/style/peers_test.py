#!/usr/bin/env python3
"""Every workload of bench/programs has its twin in each folder of bench/peers that bench/run measures, and a turn; no twin is left
without its program. A twin is a file of that name, or one of the first workloads, which stand together in the folder's `bench` file."""
import os
import re
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench", "peers"))
import peer_table  # the folder is named above

# `W.fib = {`, `fib: {` and `"fib": (`, as Lua, JavaScript and Python name a workload.
TOGETHER = re.compile(r'^W\.([a-z_]+) = {|^  ([a-z_]+): {|^    "([a-z_]+)": \(', re.MULTILINE)


def twins(folder):
    """The names of the workloads, and of the turn, that a folder has programs for."""
    found = set()
    for file in os.listdir(folder):
        name = os.path.splitext(file)[0]
        if name != "bench":
            found.add(name)
            continue
        with open(os.path.join(folder, file), encoding="utf-8") as text:
            found.update("".join(match) for match in TOGETHER.findall(text.read()))
    return found


def differences(name, wanted, found):
    return ([f"bench/peers/{name} has no {workload}, which bench/programs has." for workload in sorted(wanted - found)] +
            [f"bench/peers/{name} has {workload}, which bench/programs does not." for workload in sorted(found - wanted)])


def finds_what_differs():
    """Whether the test itself sees a twin that is missing and one too many, however it is written."""
    with tempfile.TemporaryDirectory() as folder:
        for file, text in (("bench.lua", "W.fib = {f}\n"), ("bench.py", '    "join": (f, g),\n'), ("bench.mjs", "  mandel: { run },\n"),
                           ("bfs.lua", "")):
            with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                out.write(text)
        found = twins(folder)
    return found == {"fib", "join", "mandel", "bfs"} and len(differences("x", {"fib", "join", "mandel", "sieve"}, found)) == 2


def main():
    failures = [] if finds_what_differs() else ["The test itself does not see what differs."]
    wanted = set(peer_table.workload_names()) | {"turn"}
    folders = sorted({peer.scripts for peer in peer_table.all_peers("")} - {peer_table.PROGRAMS})
    for folder in folders:
        failures += differences(os.path.basename(folder), wanted, twins(folder))
    if len(wanted) < 2 or not folders:
        failures.append("No workload, or no folder of a peer, was found.")
    print("\n".join(failures) or f"{len(wanted)} programs in {len(folders)} languages, ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
