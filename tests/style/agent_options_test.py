#!/usr/bin/env python3
"""Each member of AgentOptions has its row in agent_options.def, in the same order: the functions of AgentBuilder come from the rows."""
import os
import re
import sys

HEADERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "subagent", "agent", "include", "ptc")


def read(name):
    with open(os.path.join(HEADERS, name), encoding="utf-8") as file:
        return file.read()


def main():
    body = re.search(r"^struct AgentOptions \{\n(.*?)^\};", read("agent.h"), re.M | re.S).group(1)
    body = re.sub(r"//[^\n]*", "", body)
    members = re.findall(r"(\w+)\s*(?:=[^;]*|\{[^;]*\})?;", body)
    rows = re.findall(r"^PTC_AGENT_OPTION\((\w+)\)", read("agent_options.def"), re.M)
    if members == rows and len(members) > 20:
        print(f"{len(rows)} options")
        return 0
    print(f"without a row: {[m for m in members if m not in rows]}; without a member: {[r for r in rows if r not in members]}")
    print("or in another order:", members, rows)
    return 1


if __name__ == "__main__":
    sys.exit(main())
