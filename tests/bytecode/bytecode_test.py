#!/usr/bin/env python3
"""Compares the bytecode of small programs with the disassembly that stands behind each of them.

  bytecode_test.py PTCC [--update] [FILE.ptc ..]

README.md describes the files. --update writes what the compiler makes now. Without files: all of this folder, and then each
instruction of vm/opcodes.def has to appear in one of them."""
import argparse
import concurrent.futures
import difflib
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OPCODES = os.path.join(HERE, "..", "..", "vm", "opcodes.def")
MARK = ";= "
SIGNATURE = "signature:"
# Instructions that no listing can show, with the reason.
NOT_SHOWN = {
    "nop": "stands for no instruction in tables; the compiler emits none",
    "load-all-data": "is kept for files that have it; the language has no name for the whole context",
    "fork": "stands in the core library's pmap and pcalls, which no listing of a program includes",
    "halt": "stands behind the outermost frame, outside of programs",
}


def without_builtin_numbers(line):
    """The line without the indexes of builtins, which change whenever one is added; its comment has the name."""
    code, semicolon, comment = line.partition(";")
    return re.sub(r"\bn\d+\b *", "n ", code) + semicolon + comment if semicolon else line


class Case:
    """A title, the text of a program or signature, and the lines expected of it."""

    def __init__(self, title):
        self.title, self.text, self.expected, self.fault = title, [], [], ""

    def source(self):
        return "\n".join(self.text).strip()

    def disassembly(self, ptcc):
        if self.title.startswith(SIGNATURE):
            command, given = [ptcc, "signature", self.source(), "--disasm"], None
        else:
            command, given = [ptcc, "disasm", "-"], self.source()
        done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            self.fault = (done.stderr or done.stdout).strip()
        return [without_builtin_numbers(line.rstrip()) for line in done.stdout.rstrip().splitlines()]

    def render(self, lines):
        return "\n".join([";;; " + self.title, self.source()] + [(MARK + line).rstrip() for line in lines])


def read(path):
    """The lines in front of the first case, and the cases."""
    head, cases = [], []
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith(";;; "):
                cases.append(Case(line[4:].strip()))
            elif not cases:
                head.append(line)
            elif line.startswith(MARK.rstrip()):
                cases[-1].expected.append(line[len(MARK):])
            else:
                cases[-1].text.append(line)
    return "\n".join(head).strip(), cases


def compare(name, case, found):
    """True when as expected; else prints what differs."""
    if found == case.expected and not case.fault:
        return True
    print(f"{name}: {case.title}")
    print(case.source())
    if case.fault:
        print("  " + case.fault.replace("\n", "\n  "))
        return False
    for line in difflib.unified_diff(case.expected, found, "expected", "found", lineterm="", n=2):
        print("  " + line)
    return False


def mnemonics():
    with open(OPCODES, encoding="utf-8") as file:
        return re.findall(r'^PTC_OP\(\w+,\s*"([^"]+)"', file.read(), re.M)


def shown(lines):
    """The mnemonics in a disassembly."""
    return {words[1] for words in (line.split() for line in lines) if len(words) > 1 and words[0].isdigit()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ptcc")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    files = options.files or sorted(os.path.join(HERE, n) for n in os.listdir(HERE) if n.endswith(".ptc"))
    total = failed = 0
    seen = set()
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for path in files:
            head, cases = read(path)
            listings = list(pool.map(lambda case: case.disassembly(options.ptcc), cases))
            total += len(cases)
            for case, found in zip(cases, listings):
                seen |= shown(found)
                case.expected = found if options.update else case.expected
                failed += not compare(os.path.basename(path), case, found)
            if options.update:
                with open(path, "w", encoding="utf-8") as file:
                    file.write("\n\n".join([head] + [c.render(l) for c, l in zip(cases, listings)]) + "\n")
    missing = [] if options.files else [m for m in mnemonics() if m not in seen and m not in NOT_SHOWN]
    for name in missing:
        print(f"no program of tests/bytecode shows `{name}`: add one, or a reason to NOT_SHOWN")
    print(f"{total - failed} passed, {failed} failed")
    return 1 if failed or missing else 0


if __name__ == "__main__":
    sys.exit(main())
