#!/usr/bin/env python3
"""public_headers_test.py COMPILER: what <ptc/ptc.h> and the headers beside it bring into a host's file.

No macro but the version: helpers like PTC_TRY stay inside. And not much more text than the standard headers that they need: what a host
pays for each file that includes them, counted and not timed: lines, and, where the compiler can list them (g++), the classes that it has to
make of them, which is what most of the time goes into."""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
ALLOWED = re.compile(r"PTC_VERSION(_[A-Z]+)?$")
# The whole of ptc.h may have 1.3 times the lines of the standard headers that it names.
MOST = 1.3
# And 2.25 times the classes. (With 2.19, g++ 12 executes 1.41 times the instructions that it does for the standard headers, clang 14 1.43 times;
# with 2.51 it was 1.46, with 2.89 1.55. Of what is left a third goes into the 23 std::optional, a quarter into the 35 std::vector of our own
# structs: each of the former takes some fifteen million instructions, each of the latter eight.)
MOST_CLASSES = 2.25


def preprocess(compiler, folders, text, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "host.cpp")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        command = [compiler, "-std=c++20", "-E", *options, *["-I" + f for f in folders], path]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def code_lines(text):
    return sum(1 for line in text.splitlines() if line.strip() and not line.startswith("#"))


def count_classes(compiler, folders, text):
    """0 where the compiler cannot list them."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "host.cpp")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        command = [compiler, "-std=c++20", "-fsyntax-only", "-fdump-lang-class", *["-I" + f for f in folders], path]
        listed = subprocess.run(command, check=False, capture_output=True, cwd=folder).returncode == 0
        dumps = glob.glob(os.path.join(folder, "*.class")) if listed else []
        return sum(line.startswith("Class ") for dump in dumps for line in open(dump, encoding="utf-8"))


def main():
    compiler = sys.argv[1]
    headers = [h for depth in ("*", "*/*") for h in glob.glob(os.path.join(ROOT, depth, "include", "ptc", "*.h")) if "/build/" not in h]
    folders = sorted({os.path.dirname(os.path.dirname(h)) for h in headers})
    everything = "".join(f"#include <ptc/{os.path.basename(h)}>\n" for h in headers)
    macros = set(re.findall(r"^#define (PTC_\w+)", preprocess(compiler, folders, everything, "-dM"), re.M))
    leaked = sorted(m for m in macros if not ALLOWED.match(m))
    if leaked or not macros:
        print(f"{len(headers)} headers; macros that hosts see: {leaked}")
        return 1

    whole = preprocess(compiler, folders, "#include <ptc/ptc.h>\n")
    ours = {os.path.realpath(f) for f in re.findall(r'^# \d+ "([^"]+/include/ptc/[^"]+)"', whole, re.M)}
    standard = set()
    for path in ours:
        with open(path, encoding="utf-8") as file:
            standard |= set(re.findall(r"^#include (<[^>]+>)", file.read(), re.M))
    standard_text = "".join(f"#include {name}\n" for name in sorted(standard))
    base = code_lines(preprocess(compiler, folders, standard_text))
    lines = code_lines(whole)
    print(f"{lines} lines, of which {base} come from {len(standard)} standard headers: {lines / base:.3f} times")
    heavy = sorted(standard & {"<functional>", "<iostream>", "<regex>", "<fstream>", "<sstream>", "<thread>", "<algorithm>", "<future>"})
    if heavy or lines > MOST * base or base < 10000:
        print(f"too many; heavy headers: {heavy}")
        return 1
    classes = count_classes(compiler, folders, "#include <ptc/ptc.h>\n")
    base_classes = count_classes(compiler, folders, standard_text)
    if classes > 0:
        print(f"{classes} classes, {base_classes} of the standard headers: {classes / base_classes:.3f} times")
    if classes > MOST_CLASSES * base_classes:
        print("too many")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
