#!/usr/bin/env python3
"""No program asks the file system by a call that throws: a name of 300 bytes ended `ptcc` by an exception that nobody caught.

`std::filesystem::exists(path)` and its like take a `std::error_code`, or are asked by `is_there` and `is_folder` of tools/io.h."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("frontend", "compiler", "vm", "runtime", "subagent", "tools")
CALL = re.compile(r"\b(?:fs|filesystem)::(?:exists|is_\w+|file_size|status|symlink_status|equivalent|canonical|weakly_canonical|absolute|remove|remove_all"
                  r"|rename|copy\w*|create_\w+|resize_file|last_write_time|permissions|space|temp_directory_path|read_symlink|directory_iterator"
                  r"|recursive_directory_iterator)\(([^;{]*)")


def throwing(text):
    """The calls that end without a last argument of their own for the error."""
    found = []
    for call in CALL.finditer(text):
        depth, commas = 1, 0
        for c in call[1]:
            depth += (c in "([{") - (c in ")]}")
            commas += depth == 1 and c == ","
            if depth == 0:
                break
        if commas == 0:
            found.append(text.count("\n", 0, call.start()) + 1)
    return found


def main():
    example = "if (fs::exists(f(a, b)))\nfs::exists(path, error);\nstd::filesystem::is_directory(path) &&"
    failures = [] if throwing(example) == [1, 3] else [f"The test itself finds {throwing(example)}."]
    for folder in FOLDERS:
        for where, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in sorted(names):
                if not name.endswith((".cpp", ".h")):
                    continue
                path = os.path.join(where, name)
                with open(path, encoding="utf-8") as file:
                    failures += [f"{os.path.relpath(path, ROOT)}:{line}: throws where the system cannot look" for line in throwing(file.read())]
    print("\n".join(failures) or "No call throws.")
    return 1 if failures else 0


sys.exit(main())
