#!/usr/bin/env python3
"""security_test.py: the tests that .github/SECURITY.md and tests/LIMITS.md name are there."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def is_there(name):
    if "/" in name:
        return (ROOT / name).exists()
    parts = name.split(".")
    tests = ROOT / "tests"
    cmake = (tests / "CMakeLists.txt").read_text(encoding="utf-8")
    if parts[0] == "fuzz":
        return (tests / "fuzz" / f"fuzz_{parts[1]}.cpp").exists()
    if re.search(r"ptc_script_test\(" + re.escape(name), cmake):
        return True
    groups = re.search(r"ptc_python_test\(" + re.escape(".".join(parts[:2])) + r" \w+ (\S+)([^)]*)\)", cmake)
    if groups:
        return len(parts) == 2 or parts[2] in groups[2].split() or parts[2] == "*"
    source = "".join(path.read_text(encoding="utf-8") for path in (tests / parts[0]).glob("*_test.cpp"))
    test = r"\w+" if parts[-1] == "*" else re.escape(parts[-1])
    return re.search(r"TEST(_F|_P)?\(" + re.escape(parts[1]) + r",\s*" + test + r"\)", source) is not None


def tests_of(file, first_column):
    """In the last column of its table."""
    table = (ROOT / file).read_text(encoding="utf-8").split(f"| {first_column} |")[1].split("\n\n")[0]
    return [name for row in table.splitlines()[2:] for name in re.findall(r"`([^`]+)`", row.rsplit("|", 2)[1])]


missing = 0
for file, first_column in ((".github/SECURITY.md", "threat"), ("tests/LIMITS.md", "limit")):
    names = tests_of(file, first_column)
    unknown = [name for name in names if not is_there(name)]
    for name in unknown:
        print(f"{file} names {name}, which is no test")
    print(f"{file}: {len(names)} tests are named, {len(unknown)} are missing")
    missing += len(unknown)
sys.exit(1 if missing else 0)
