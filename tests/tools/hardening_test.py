#!/usr/bin/env python3
"""What the flags of PTC_HARDEN (CMakeLists.txt) are for is in the program: hardening_test.py PTCC."""
import re
import subprocess
import sys


def readelf(option):
    return subprocess.run(["readelf", "-W", option, sys.argv[1]], capture_output=True, text=True, check=True).stdout


header, dynamic, segments, symbols = (readelf(option) for option in ("-h", "-d", "-l", "--dyn-syms"))
stack = re.search(r"GNU_STACK.*", segments)
CHECKS = {
    "is loaded at any address": re.search(r"Type:\s+DYN", header) and "PIE" in dynamic,
    "resolves all functions before it begins": "BIND_NOW" in dynamic or re.search(r"Flags:.*NOW", dynamic),
    "writes no table of functions from then on": "GNU_RELRO" in segments,
    "runs no code from its stack": stack and "RWE" not in stack.group(),
    "guards its stacks": "__stack_chk_fail" in symbols,
    "checks the sizes of what it copies": re.search(r"__(memcpy|memmove|memset|read|snprintf|vsnprintf|fprintf|realpath)_chk", symbols),
}
failed = [what for what, holds in CHECKS.items() if not holds]
print("\n".join("not so: " + what for what in failed) or f"{len(CHECKS)} hold")
sys.exit(bool(failed))
