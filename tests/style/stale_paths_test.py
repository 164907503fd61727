#!/usr/bin/env python3
"""The paths that README.md files name exist: of each back-quoted name that begins with one of our folders, looked for from the root
of the repository and from the folder of the README.

Patterns (`cmd_*.cpp`), placeholders (`<topic>_bench.cpp`) and commands are not looked at, nor is what stands between fences."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("frontend", "compiler", "vm", "runtime", "subagent", "bench", "tests", "tools")
FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"`([^`\n]+)`")
NO_PATH = re.compile(r"[*{<\s]")


def readmes():
    yield os.path.join(ROOT, "README.md")
    for top in FOLDERS:
        for folder, folders, names in os.walk(os.path.join(ROOT, top)):
            folders[:] = sorted(name for name in folders if name not in ("node_modules", "__pycache__"))
            if "README.md" in names:
                yield os.path.join(folder, "README.md")


def paths_in(text):
    """The back-quoted names that look like paths, once each, in their order."""
    names = QUOTED.findall(FENCED.sub("", text))
    return list(dict.fromkeys(name for name in names if name.split("/")[0] in FOLDERS and "/" in name and not NO_PATH.search(name)))


def main():
    example = "`vm/a.h` `vm` `vm/*.h` `tools/run <x>`\n```sh\n`vm/fenced`\n```\n`other/b` `tests/c/` `vm/a.h`"
    failures = [] if paths_in(example) == ["vm/a.h", "tests/c/"] else [f"The test itself finds {paths_in(example)}."]
    count = 0
    for readme in readmes():
        with open(readme, encoding="utf-8") as file:
            found = paths_in(file.read())
        count += len(found)
        for name in found:
            if not any(os.path.exists(os.path.join(base, name)) for base in (ROOT, os.path.dirname(readme))):
                failures.append(f"{os.path.relpath(readme, ROOT)} names `{name}`, which does not exist.")
    if count == 0:
        failures.append("No path was found in any README.")
    print("\n".join(failures) or f"{count} paths, ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
