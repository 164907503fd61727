#!/usr/bin/env python3
"""Checks that the folders depend one way only, and a few rules of the same kind that targets cannot enforce.

frontend -> runtime -> vm -> compiler -> subagent -> tools: a file includes headers from its own folder and from
folders to the left. tests and bench include anything; nothing includes them. Prints one line a violation; exit 1 if any.

  check_layers.py [ROOT]
"""
import os
import re
import sys

ROOT = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LAYERS = ["frontend", "runtime", "vm", "compiler", "subagent", "tools"]
ANYTHING = ["tests", "bench"]
TOP_LEVEL = set(LAYERS + ANYTHING + ["CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "build"])
# What public headers may take from other folders; tools/install_headers.py installs it with them.
PUBLIC_TOO = ("frontend/source.h", "frontend/error.h", "frontend/result.h", "frontend/diagnostic.h", "frontend/type.h",
              "frontend/signature.h", "frontend/json_schema.h", "vm/limits.h", "vm/check_report.h", "compiler/schema_reader.h")
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')
SOURCES = (".h", ".hpp", ".cpp", ".def")


def source_files(folder):
    for path, _, names in os.walk(os.path.join(ROOT, folder)):
        for name in sorted(names):
            if name.endswith(SOURCES):
                yield os.path.relpath(os.path.join(path, name), ROOT)


def layer_of_include(bracket, target):
    """The folder that an include names, or None for a library's or a neighbour's header."""
    if target.startswith("ptc/"):
        return "subagent"
    first = target.split("/")[0]
    return first if bracket == '"' and first in LAYERS + ANYTHING else None


def violations(file):
    folder = file.split(os.sep)[0]
    is_public = file.startswith(os.path.join("subagent", "include"))
    with open(os.path.join(ROOT, file), encoding="utf-8") as text:
        lines = text.readlines()
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        bracket, target = match.groups()
        where = f"{file}:{number}: "
        if target.startswith("../"):
            yield where + f"`{target}`: includes start at the repository's root"
        included = layer_of_include(bracket, target)
        if folder in LAYERS and included:
            if included in ANYTHING or LAYERS.index(included) > LAYERS.index(folder):
                yield where + f"{folder} may not include {included} (`{target}`)"
        if is_public and included and not (target.startswith(PUBLIC_TOO) or included == "subagent"):
            yield where + f"`{target}` is no business of hosts: they may see {', '.join(PUBLIC_TOO)} and the public headers"
        if target.startswith("boost/spirit/") and not file.endswith(".cpp"):
            yield where + "a Spirit grammar belongs into its own .cpp: it costs each includer a second"
        if target == "boost/json/src.hpp" and os.path.basename(file) != "boost_json.cpp":
            yield where + "boost_json.cpp is the one file that compiles Boost.JSON"


def main():
    found = [v for folder in LAYERS + ANYTHING for file in source_files(folder) for v in violations(file)]
    for name in sorted(os.listdir(ROOT)):
        if name not in TOP_LEVEL and not name.startswith("."):
            found.append(f"{name}: the top level is fixed; this belongs into one of its folders")
    for line in found:
        print(line)
    print(f"check_layers: {len(found)} violation(s)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
