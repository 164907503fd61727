#!/usr/bin/env python3
"""headers_test.py CHECK_HEADERS COMPILER: the header check accepts what stands alone and names each file that does not."""
import os
import subprocess
import sys
import tempfile

ALLOWED = {
    "frontend/plain.h": "#pragma once\n#include <cstdint>\ninline std::uint32_t one() { return 1; }\n",
    "frontend/include/ptc/seen.h": "#pragma once\nstruct Seen {};\n",
    "runtime/user.h": '#pragma once\n#include "frontend/plain.h"\n#include "ptc/seen.h"\ninline Seen use() { one(); return {}; }\n',
    "runtime/comment.h": "#pragma once\n// a std::vector would do\n",
}
REFUSED = {
    "runtime/missing_ours.h": "#pragma once\ninline auto two() { return one() + 1; }\n",
    "runtime/missing_standard.cpp": "#include \"frontend/plain.h\"\nstd::vector<int> all;\n",
}


def check(files):
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
            with open(os.path.join(root, name), "w", encoding="utf-8") as out:
                out.write(text)
        done = subprocess.run([sys.executable, sys.argv[1], "--compiler", sys.argv[2], root], capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout


def main():
    failures = []
    code, output = check(ALLOWED)
    if code != 0:
        failures.append(f"refused what is allowed:\n{output}")
    for name, text in REFUSED.items():
        code, output = check({**ALLOWED, name: text})
        if code == 0 or name not in output:
            failures.append(f"accepted {name}:\n{text}{output}")
    print("\n".join(failures) or "ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
