#!/usr/bin/env python3
"""Installs the public headers: install_headers.py INCLUDE_DIR.

Public are subagent/include/ptc/*.h and the few headers of other folders that those include (errors, results, limits). The
latter go to ptc/<folder>/, and the includes are rewritten to match, so that hosts have one folder, ptc, and no name of ours
can meet one of theirs.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PUBLIC = os.path.join("subagent", "include", "ptc")
INTERNAL = re.compile(r'(#\s*include\s+")((?:frontend|runtime|vm|compiler|subagent)/)')


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as text:
        return text.read()


def public_headers():
    """{path in the repository: path under include/} of all that hosts may see."""
    found = {}
    waiting = [os.path.join(PUBLIC, name) for name in sorted(os.listdir(os.path.join(ROOT, PUBLIC)))]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found[path] = os.path.relpath(path, os.path.dirname(PUBLIC)) if path.startswith(PUBLIC) else os.path.join("ptc", path)
        waiting += re.findall(r'#\s*include\s+"((?:frontend|runtime|vm|compiler|subagent)/[^"]+)"', read(path))
    return found


def main():
    for source, target in sorted(public_headers().items(), key=lambda item: item[1]):
        path = os.path.join(sys.argv[1], target)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(INTERNAL.sub(r"\1ptc/\2", read(source)))
        print(f"-- Installing: {path}")


if __name__ == "__main__":
    main()
