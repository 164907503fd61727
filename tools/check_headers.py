#!/usr/bin/env python3
"""Checks that each header compiles alone and that no file lives on what somebody else includes.

1. Nothing of ours is missing. A header that its own .cpp includes first is proven by every build: nothing of ours comes before it.
   The others are compiled here, each alone (-fsyntax-only, without the precompiled header).
2. Nothing of the standard library is missing. The precompiled headers (ptc_precompiled_headers in CMakeLists.txt) would hide that from the build, and so from
   the proof above, so STANDARD says which names need which header; a file must reach that header through what it
   includes. Names that few files use are left to the compiler.

Prints one line a fault; exit 1 if any.

  check_headers.py [--compiler CXX] [ROOT]
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

FOLDERS = ["frontend", "runtime", "vm", "compiler", "subagent", "tools"]
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)
# Comments and literals say nothing about what is used.
NO_CODE = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"')
STANDARD = {
    "algorithm": r"sort|stable_sort|find_if\w*|find\(|any_of|all_of|none_of|min\b|max\b|clamp|copy_if|copy\(|transform|count_if|"
                 r"remove_if|reverse|lower_bound|upper_bound|max_element|min_element|fill\(|fill_n|unique\(|binary_search",
    "array": r"array\b",
    "atomic": r"atomic|memory_order",
    "bit": r"bit_cast|bit_width|popcount|countr_zero|countl_zero|bit_ceil|has_single_bit",
    "chrono": r"chrono",
    "cstring": r"memcpy|memmove|memcmp|memset|memchr|strlen|strcmp",
    "functional": r"function\b|reference_wrapper|ref\(|cref\(",
    "limits": r"numeric_limits",
    "memory": r"unique_ptr|make_unique|shared_ptr|make_shared|weak_ptr|construct_at|destroy_at|destroy_n|uninitialized_\w+|allocator\b",
    "mutex": r"mutex\b|lock_guard|scoped_lock|unique_lock|call_once",
    "optional": r"optional|nullopt",
    "span": r"span\b",
    "string": r"string\b|to_string",
    "utility": r"move\b|forward\b|exchange|pair\b|swap\b|index_sequence",
    "vector": r"vector\b",
}
STANDARD = {header: re.compile(r"\bstd::(?:" + names + ")") for header, names in STANDARD.items()}
# Headers of which the standard says, or every implementation shows, that they give what another one has.
GIVES = {
    "utility": {"algorithm", "array", "deque", "functional", "map", "memory", "optional", "span", "string", "unordered_map", "variant",
                "vector"},
    "array": {"functional", "span"},
    "string": {"filesystem", "fstream", "iostream", "sstream"},
    "limits": {"chrono", "random"},
    "mutex": {"condition_variable", "shared_mutex"},
    "chrono": {"condition_variable", "future", "mutex", "thread"},
}
# Libraries whose headers bring half of the standard library along.
HEAVY = ("boost/", "CLI/", "re2/")


class Tree:
    def __init__(self, root):
        self.root = root
        self.text = {}
        for folder in FOLDERS:
            for path, _, names in os.walk(os.path.join(root, folder)):
                for name in names:
                    if name.endswith((".h", ".cpp", ".def")):
                        full = os.path.join(path, name)
                        with open(full, encoding="utf-8") as file:
                            self.text[os.path.relpath(full, root)] = file.read()
        self.public = {re.sub(r".*/include/ptc/", "ptc/", f): f for f in self.text if "/include/ptc/" in f}
        self.include_dirs = sorted({f[:f.index("/include/ptc/")] + "/include" for f in self.public.values()})

    def ours(self, name):
        return self.public.get(name) or (name if name in self.text else None)

    def foreign_includes(self, file):
        """The headers of others that `file` reaches through ours."""
        seen, found, waiting = set(), set(), [file]
        while waiting:
            current = waiting.pop()
            if current in seen:
                continue
            seen.add(current)
            for name in INCLUDE.findall(self.text[current]):
                target = self.ours(name)
                if target:
                    waiting.append(target)
                else:
                    found.add(name)
        return found

    def is_proven_by_its_body(self, header):
        body = re.sub(r"/include/ptc/", "/", header)[:-2] + ".cpp"
        includes = INCLUDE.findall(self.text.get(body, ""))
        return bool(includes) and self.ours(includes[0]) == header

    def missing_standard_headers(self, file):
        includes = self.foreign_includes(file)
        if any(name.startswith(HEAVY) for name in includes):
            return []
        code = NO_CODE.sub("", INCLUDE.sub("", self.text[file]))
        return [header for header, names in STANDARD.items()
                if not includes & ({header} | GIVES.get(header, set())) and names.search(code)]


def compile_alone(compiler, tree, header):
    command = [compiler, "-std=c++20", "-fsyntax-only", "-w", "-x", "c++", "-I" + tree.root,
               *["-I" + os.path.join(tree.root, d) for d in tree.include_dirs], os.path.join(tree.root, header)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        return None
    first = next((line for line in result.stderr.splitlines() if "error" in line), "the compiler failed")
    return f"{header}: does not compile alone: {first}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default=os.environ.get("CXX", "c++"))
    parser.add_argument("root", nargs="?", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    options = parser.parse_args()
    tree = Tree(os.path.abspath(options.root))
    faults = []
    for file in sorted(tree.text):
        if not file.endswith(".def"):
            faults += [f"{file}: uses names of <{header}>, which it does not include"
                       for header in tree.missing_standard_headers(file)]
    alone = sorted(f for f in tree.text if f.endswith(".h") and not tree.is_proven_by_its_body(f))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults += [f for f in pool.map(lambda h: compile_alone(options.compiler, tree, h), alone) if f]
    for fault in faults:
        print(fault)
    print(f"check_headers: {len(alone)} headers compiled alone, {len(faults)} fault(s)")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
