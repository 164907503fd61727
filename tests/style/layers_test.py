#!/usr/bin/env python3
"""layers_test.py CHECK_LAYERS: the layer check accepts what is allowed and names each violation."""
import os
import subprocess
import sys
import tempfile

ALLOWED = {
    "runtime/a.cpp": '#include "runtime/a.h"\n#include "frontend/b.h"\n#include <boost/json/basic_parser.hpp>\n',
    "tools/main.cpp": '#include "vm/vm.h"\n#include <ptc/ptc.h>\n#include "neighbour.h"\n',
    "tests/vm/t.cpp": '#include "tools/x.h"\n',
    "subagent/agent/include/ptc/ptc.h": '#include <ptc/engine.h>\n#include "ptc/result.h"\n',
    "frontend/grammar.cpp": "#include <boost/spirit/home/x3.hpp>\n",
    "runtime/x_grammar.cpp": '#include "frontend/byte_class.h"\n',
    "runtime/boost_json.cpp": "#include <boost/json/src.hpp>\n",
    "tools/options.cpp": "#include <CLI/CLI.hpp>\n",
}
REFUSED = {
    "frontend/up.h": '#include "runtime/value.h"\n',
    "vm/test.cpp": '#include "tests/helper.h"\n',
    "compiler/api.cpp": "#include <ptc/ptc.h>\n",
    "runtime/relative.cpp": '#include "../frontend/a.h"\n',
    "subagent/engine/include/ptc/leak.h": '#include "vm/vm.h"\n',
    "compiler/analyze/room.cpp": '#include "compiler/check/check.h"\n',
    "subagent/providers/other.cpp": '#include "subagent/checkpoint/x.h"\n',
    "tools/agent/uses_tests.cpp": '#include "tools/testing/scenario.h"\n',
    "subagent/engine/network.cpp": "#include <curl/curl.h>\n",
    "vm/attic/unknown.cpp": '#include "vm/vm.h"\n',
    "frontend/grammar.h": "#include <boost/spirit/home/x3.hpp>\n",
    "runtime/reads_bytes.cpp": '#include "frontend/byte_class.h"\n',
    "runtime/other.cpp": "#include <boost/json/src.hpp>\n",
    "tools/cmd_other.cpp": "#include <CLI/CLI.hpp>\n",
    "scripts/x": "",
}


def check(files):
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
            with open(os.path.join(root, name), "w", encoding="utf-8") as out:
                out.write(text)
        done = subprocess.run([sys.executable, sys.argv[1], root], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout


def main():
    failures = []
    code, output = check(ALLOWED)
    if code != 0:
        failures.append(f"refused what is allowed:\n{output}")
    for name, text in REFUSED.items():
        code, output = check({**ALLOWED, name: text})
        if code == 0 or name.split("/")[0] not in output:
            failures.append(f"accepted {name}:\n{text}{output}")
    print("\n".join(failures) or "ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
