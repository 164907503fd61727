#!/usr/bin/env python3
"""No test looks at a clock, of the wall or of the processor: names each line of the tests' sources that does, but for those below, which
have a reason.

What depends on how fast a machine is fails on a busy one. tests/README.md says what to do instead."""
import os
import re
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CALLS = {
    (".cpp", ".h"): re.compile(r"\b(steady_clock|system_clock|high_resolution_clock|sleep_for|sleep_until|wait_for|usleep|nanosleep"
                               r"|gettimeofday|CLOCK_[A-Z_]+|getrusage|std::clock)\b|\btime\((nullptr|NULL|0)\)|::sleep\("),
    (".py",): re.compile(r"\btime\.(time|time_ns|monotonic|monotonic_ns|perf_counter|perf_counter_ns|process_time|process_time_ns|sleep)\b|\bdatetime\.(now|utcnow|today)\b"
                         r"|\.(utcnow|today)\(\)|\bru_[us]time\b"),
    (".mjs",): re.compile(r"\b(setTimeout|setInterval|Date\.now|performance\.now|new Date\(\))"),
}
# File: (how many lines, why).
ALLOWED = {
    "api/mcp_client_threads_test.cpp": (1, "a person who thinks for longer than a call may take"),
    "api/parallel_threads_test.cpp": (1, "a bound of hangs"),
    "api/typed_tool_test.cpp": (4, "values of the type, made of numbers"),
    "mcp_client/conformance_client.cpp": (1, "a bound of hangs"),
    "mcp_client/fake_server.py": (4, "servers that do not answer"),
    "subagent/mission_threads_test.cpp": (1, "a bound of hangs"),
    "subagent/provider_test.cpp": (1, "a date, made of a number"),
    "subagent/thread_pool_threads_test.cpp": (1, "a bound of hangs"),
    "store/store_syncs_test.cpp": (2, "lets threads get in line; most of the rounds count"),
    "store/store_faults_test.cpp": (1, "polls for the end of a lease"),
    "browser/player.mjs": (1, "durations for a page that shows them"),
    "tools/chaos_test.py": (7, "workers are disturbed at random times, and stopped for longer than a lease; a bound of hangs; figures for people"),
    "tools/jumping_clock.cpp": (1, "it is the clock, for a program that must not mind"),
    "tools/skewed_clock.cpp": (1, "it is the clock, for workers that must not mind"),
    "tools/mcp_test.py": (1, "until a millisecond is over"),
    "tools/serve_test.py": (2, "the date of an answer lies between those of the request and of its end"),
    "tools/program_pool_threads_test.cpp": (1, "a bound of hangs"),
    "tools/store_test.py": (3, "two signals at nearly one time, and one that comes later; a tool that is slower than one that ends its worker"),
    "tools/waiting.py": (3, "polls for an event; a bound of hangs"),
    "wire/many_missions.cpp": (3, "figures for people"),
    "wire/fake_provider.py": (2, "pauses of a server between bytes; nothing is assumed to have happened by then"),
}


def sources():
    for folder, folders, names in os.walk(TESTS):
        folders[:] = sorted(name for name in folders if name not in ("node_modules", "golden", "__pycache__"))
        for name in sorted(names):
            path = os.path.join(folder, name)
            if path != os.path.abspath(__file__):
                yield path


def looks(path):
    """The numbers of the lines that look at the clock."""
    pattern = next((found for ends, found in CALLS.items() if path.endswith(ends)), None)
    if not pattern:
        return []
    with open(path, encoding="utf-8") as file:
        return [number for number, line in enumerate(file, 1) if pattern.search(line)]


def main():
    failures = []
    unused = set(ALLOWED)
    for path in sources():
        lines, name = looks(path), os.path.relpath(path, TESTS)
        allowed, _ = ALLOWED.get(name, (0, ""))
        unused.discard(name)
        if len(lines) > allowed:
            failures.append(f"tests/{name} looks at a clock in the lines {lines}, {allowed} of which are allowed.")
        elif len(lines) < allowed:
            failures.append(f"tests/{name} looks at a clock in {len(lines)} lines: allow no more than those.")
    failures += [f"tests/{name} is allowed to look at a clock and is gone." for name in sorted(unused)]
    print("\n".join(failures) or "ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
