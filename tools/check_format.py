#!/usr/bin/env python3
"""Checks that clang-format would change no source file. Prints those that it would; exit 1 if any.

  check_format.py [--fix]
"""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ["frontend", "runtime", "vm", "compiler", "subagent", "tools", "tests", "bench"]


def source_files():
    for folder in FOLDERS:
        for path, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in sorted(names):
                if name.endswith((".h", ".cpp")):
                    yield os.path.relpath(os.path.join(path, name), ROOT)


def main():
    files = list(source_files())
    if "--fix" in sys.argv[1:]:
        return subprocess.run(["clang-format", "-i", *files], cwd=ROOT, check=False).returncode
    found = subprocess.run(["clang-format", "--dry-run", "-Werror", "--ferror-limit=1", *files], cwd=ROOT, capture_output=True,
                           text=True, check=False)
    bad = sorted({line.split(":")[0] for line in found.stderr.splitlines() if "error:" in line})
    for file in bad:
        print(f"{file}: not as clang-format lays it out; tools/check_format.py --fix")
    print(f"check_format: {len(files)} files, {len(bad)} to format")
    if found.returncode != 0 and not bad:
        print(found.stderr)
    return 1 if found.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
