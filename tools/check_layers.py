#!/usr/bin/env python3
"""Checks that folders and the rooms in them depend one way only, and a few rules of the same kind that targets cannot enforce.

ROOMS lists every room from left to right: a file includes headers from its own room and from those before it, less what
FORBIDDEN names. tests and bench include anything; nothing includes them. Within a room, components (a header and the body of the
same name) form no cycle of more than two. Public headers (include/ptc/) include public headers only, so that they are installed as they are.
Prints one line a violation; exit 1 if any.

  check_layers.py [ROOT]
"""
import os
import re
import sys

ROOT = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOMS = [
    "frontend", "frontend/reader", "frontend/format",
    "runtime", "runtime/signature",
    "vm", "vm/snapshot",
    "compiler/signature", "compiler/bounds", "compiler/language", "compiler/prelude", "compiler/analyze", "compiler/check",
    "compiler/repair", "compiler",
    "subagent/engine", "subagent/agent", "subagent/recording", "subagent/checkpoint", "subagent/providers", "subagent/telemetry", "subagent/mcp",
    "subagent/store", "subagent/examples",
    "tools",
]
# Rooms that are one with their folder: the runtime registers its builtins; the commands of tools use its rooms, and these the
# folder's helpers.
SAME = {"runtime/builtins": "runtime", "runtime/core": "runtime",
        "tools/agent": "tools", "tools/evals": "tools", "tools/serve": "tools", "tools/mcp": "tools", "tools/store": "tools",
        "tools/trace": "tools", "tools/testing": "tools"}
# What the order allows and the design does not.
FORBIDDEN = [("subagent/checkpoint", "subagent/recording"), ("subagent/providers", "subagent/checkpoint"),
             ("subagent/providers", "subagent/recording"), ("subagent/telemetry", "subagent/recording"),
             ("subagent/telemetry", "subagent/checkpoint"), ("subagent/mcp", "subagent/recording"), ("subagent/mcp", "subagent/checkpoint"),
             ("subagent/mcp", "subagent/telemetry"), ("subagent/store", "subagent/recording"), ("subagent/store", "subagent/telemetry"),
             ("subagent/store", "subagent/mcp"), ("compiler/bounds", "compiler/signature")]
FOLDERS = ["frontend", "runtime", "vm", "compiler", "subagent", "tools"]
ANYTHING = ["tests", "bench"]
TOP_LEVEL = set(FOLDERS + ANYTHING + ["CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "build"])
# Tests use what production uses, never the reverse.
TESTING = "tools/testing"
# What grammars share, and includes Spirit as they do.
GRAMMAR_HEADER = "frontend/byte_class.h"
# Libraries behind a component of ours: they are slow to compile, or may be missing when a program runs.
ONLY_IN = {"CLI/CLI.hpp": ["tools/options"], "curl/curl.h": ["subagent/providers/curl_library"],
           **{f"openssl/{name}.h": ["subagent/providers/crypto_library"] for name in ("evp", "hmac", "rand")},
           "libpq-fe.h": ["subagent/store/pq_library"]}
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')
PUBLIC = re.compile(r"/include/(ptc/.+)$")
SOURCES = (".h", ".hpp", ".cpp", ".def")
# Components that may form a larger cycle, with the reason.
LARGER_CYCLES = {}


def source_files(folder):
    for path, _, names in os.walk(os.path.join(ROOT, folder)):
        for name in sorted(names):
            if name.endswith(SOURCES):
                yield os.path.relpath(os.path.join(path, name), ROOT)


def room_of(file):
    """The room of a file: its folder, or the nearest folder above it that is a room."""
    room = re.sub(r"/include/ptc$", "", os.path.dirname(file))
    return SAME.get(room, room)


class Tree:
    def __init__(self):
        self.files = [f for folder in FOLDERS + ANYTHING for f in source_files(folder)]
        self.public = {m.group(1): f for f in self.files if (m := PUBLIC.search(f))}
        self.edges = {}  # component -> components that it includes
        self.found = []

    def report(self, file, number, text):
        self.found.append(f"{file}:{number}: {text}")

    def target(self, bracket, name):
        """The file of ours that an include names, or None for a library's header."""
        if name in self.public:
            return self.public[name]
        return name if bracket == '"' and name.split("/")[0] in FOLDERS + ANYTHING else None

    def check_file(self, file):
        with open(os.path.join(ROOT, file), encoding="utf-8") as text:
            for number, line in enumerate(text, 1):
                match = INCLUDE.match(line)
                if match:
                    self.check_include(file, number, *match.groups())

    def check_include(self, file, number, bracket, name):
        if name.startswith("../"):
            self.report(file, number, f"`{name}`: includes start at the repository's root")
        if (name.startswith("boost/spirit/") and not file.endswith(".cpp") and file != GRAMMAR_HEADER
                or name == GRAMMAR_HEADER and not file.endswith("_grammar.cpp")):
            self.report(file, number, "a Spirit grammar belongs into its own .cpp: it costs each includer a second")
        if name == "boost/json/src.hpp" and os.path.basename(file) != "boost_json.cpp":
            self.report(file, number, "boost_json.cpp is the one file that compiles Boost.JSON")
        if name in ONLY_IN and os.path.splitext(file)[0] not in ONLY_IN[name]:
            self.report(file, number, f"`{name}` is for {', '.join(ONLY_IN[name])} alone")
        target = self.target(bracket, name)
        if target is None or file.split("/")[0] in ANYTHING:
            return
        if PUBLIC.search(file) and not PUBLIC.search(target):
            self.report(file, number, f"`{name}` is no business of hosts: a public header includes public ones only")
        self.check_order(file, number, target)
        component, other = os.path.splitext(self.plain(file))[0], os.path.splitext(self.plain(target))[0]
        if component != other and os.path.dirname(component) == os.path.dirname(other):
            self.edges.setdefault(component, set()).add(other)

    @staticmethod
    def plain(file):
        return re.sub(r"/include/ptc/", "/", file)

    def check_order(self, file, number, target):
        source, wanted = room_of(file), room_of(target)
        if source not in ROOMS:
            self.report(file, number, f"`{source}` is not among the rooms of check_layers.py")
        elif wanted not in ROOMS or ROOMS.index(wanted) > ROOMS.index(source) or (source, wanted) in FORBIDDEN:
            self.report(file, number, f"{source} may not include {wanted} (`{target}`)")
        if os.path.dirname(target) == TESTING and os.path.dirname(file) != TESTING:
            self.report(file, number, f"production code may not include the test harness (`{target}`)")

    def cycles(self):
        """Strongly connected components of more than two (Tarjan)."""
        index, low, stack, counter = {}, {}, [], [0]
        result = []

        def visit(v):
            index[v] = low[v] = counter[0]
            counter[0] += 1
            stack.append(v)
            for w in self.edges.get(v, ()):
                if w not in index:
                    visit(w)
                    low[v] = min(low[v], low[w])
                elif w in stack:
                    low[v] = min(low[v], index[w])
            if low[v] == index[v]:
                group = []
                while not group or group[-1] != v:
                    group.append(stack.pop())
                if len(group) > 2:
                    result.append(sorted(group))

        sys.setrecursionlimit(10000)
        for v in sorted(self.edges):
            if v not in index:
                visit(v)
        return result

    def check(self):
        for file in self.files:
            self.check_file(file)
        for group in self.cycles():
            if tuple(group) not in LARGER_CYCLES:
                self.found.append(f"{group[0]}: components include each other in a circle: {', '.join(group)}")
        for name in sorted(os.listdir(ROOT)):
            if name not in TOP_LEVEL and not name.startswith("."):
                self.found.append(f"{name}: the top level is fixed; this belongs into one of its folders")
        return self.found


def main():
    found = Tree().check()
    for line in found:
        print(line)
    print(f"check_layers: {len(found)} violation(s)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
