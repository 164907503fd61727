#!/usr/bin/env python3
"""Each source file of more than 100 lines begins with a comment, in front of its includes: what it does, the idea behind it, and what
a reader must know. Names those that do not, but for the ones below."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("frontend", "compiler", "vm", "runtime", "subagent", "bench", "tests", "tools")
ENDINGS = (".cpp", ".h", ".def")
MAX_LINES = 100
# Files whose comment stands behind their includes.
ALLOWED = {"frontend/reader/reader.cpp"}


def source_files():
    for top in FOLDERS:
        for folder, folders, names in os.walk(os.path.join(ROOT, top)):
            folders[:] = sorted(name for name in folders if name not in ("node_modules", "__pycache__"))
            for name in sorted(names):
                if name.endswith(ENDINGS):
                    yield os.path.join(folder, name)


def lacks_opening(text):
    return text.count("\n") > MAX_LINES and not text.startswith("//")


def main():
    long_text = "#include <a>\n" + "\n" * MAX_LINES
    failures = []
    if not lacks_opening(long_text) or lacks_opening("// What it does.\n" + long_text) or lacks_opening(long_text[:-1]):
        failures.append("The test itself does not tell texts apart.")
    count = 0
    for path in source_files():
        count += 1
        name = os.path.relpath(path, ROOT)
        with open(path, encoding="utf-8") as file:
            lacks = lacks_opening(file.read())
        if lacks and name not in ALLOWED:
            failures.append(f"{name} does not begin with a comment that says what it does.")
    if count == 0:
        failures.append("No source file was found.")
    failures += [f"{name} is allowed to lack a comment and is gone." for name in sorted(ALLOWED) if not os.path.exists(os.path.join(ROOT, name))]
    print("\n".join(failures) or f"{count} files, ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
