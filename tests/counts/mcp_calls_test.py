#!/usr/bin/env python3
"""What one call of `lisp_eval` over standard streams costs a warm `ptcc mcp`: mcp_calls_test.py PTCC FOLDER.

Instructions, as callgrind counts them in the release build of g++ 12: those of a server with many calls without those of one with few,
so that its start is not among them. A call may take 250 us, which at 0.3 ns an instruction are 830,000: MOST is far below, what was counted
and a quarter."""
import json
import os
import re
import subprocess
import sys

FEW, MANY = 200, 1200
MOST = 170_000  # 136,005 were counted


def line(number, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"


def instructions(ptcc, folder, calls):
    hello = line(0, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"})
    out = os.path.join(folder, "mcp_calls.out")
    server = subprocess.Popen(["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={out}", ptcc, "mcp"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    with server:
        for text in [hello] + [line(i, "tools/call", name="lisp_eval", arguments={"source": f"(+ 1 {i})"}) for i in range(1, calls + 1)]:
            server.stdin.write(text)
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())["result"]
        server.stdin.close()
    assert server.returncode == 0 and answer["structuredContent"]["json"] == 1 + calls, answer
    with open(out, encoding="utf-8") as counted:
        total = int(re.search(r"^(?:totals|summary): (\d+)", counted.read(), re.M).group(1))
    os.remove(out)
    return total


def main():
    ptcc, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    each = (instructions(ptcc, folder, MANY) - instructions(ptcc, folder, FEW)) // (MANY - FEW)
    print(f"{each} instructions a call, of {MOST}")
    return 0 if 0 < each <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
