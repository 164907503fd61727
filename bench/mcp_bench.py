#!/usr/bin/env python3
"""What a call of `ptcc mcp` over standard input costs beyond the client's own time: mcp_bench.py PTCC NODE NODE_MODULES [CALLS].

One client, in this file, speaks with three programs, in turns: `cat`, which gives back each line and so stands for the client and two pipes;
`ptcc mcp`, whose lisp_eval runs `(+ 1 2)`; and a server of the official TypeScript SDK whose one tool gives back a constant. NODE_MODULES has
@modelcontextprotocol/sdk: the folder `node_modules` that tests/mcp/run installs. What is printed is the median of the calls, less that of
`cat`, and the 99th percentile; then the memory of an idle session of `ptcc mcp --http`."""
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

SERVER = """
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
const server = new McpServer({ name: 'least', version: '1' });
server.registerTool('least', { description: 'Gives three.' }, async () => ({ content: [{ type: 'text', text: '3' }] }));
await server.connect(new StdioServerTransport());
"""
INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize",
              "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}}


class Peer:
    def __init__(self, command, cwd, tool, arguments):
        self.process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.tool, self.arguments, self.times = tool, arguments, []
        self.ask(INITIALIZE)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        if tool == "":
            self.process.stdout.readline()

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, message):
        self.send(message)
        return json.loads(self.process.stdout.readline())

    def call(self, number):
        request = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": self.tool, "arguments": self.arguments}}
        began = time.perf_counter_ns()
        answer = self.ask(request)
        self.times.append(time.perf_counter_ns() - began)
        assert answer["id"] == number and (self.tool == "" or not answer["result"].get("isError")), answer

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def latency(ptcc, node, modules, calls):
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.abspath(modules), os.path.join(folder, "node_modules"))
        with open(os.path.join(folder, "least.mjs"), "w", encoding="utf-8") as file:
            file.write(SERVER)
        peers = {"cat": Peer(["cat"], folder, "", {}), "ptcc mcp": Peer([ptcc, "mcp"], folder, "lisp_eval", {"source": "(+ 1 2)"}),
                 "TypeScript SDK": Peer([node, "least.mjs"], folder, "least", {})}
        for number in range(1, calls + 501):
            if number == 501:  # warm
                for peer in peers.values():
                    peer.times.clear()
            for peer in peers.values():
                peer.call(number)
        own = statistics.median(peers["cat"].times)
        for name, peer in peers.items():
            median = statistics.median(peer.times)
            beyond = "" if name == "cat" else f", {(median - own) / 1000:.0f} us beyond the client's own"
            print(f"{name}: p50 {median / 1000:.0f} us, p99 {statistics.quantiles(peer.times, n=100)[98] / 1000:.0f} us{beyond}")
            peer.end()


def session_memory(ptcc, sessions=500):
    """Of clients that stay connected, each with a session of programs that defines twenty small maps and a function."""
    process = subprocess.Popen([ptcc, "mcp", "--http", "0", "--max-connections", str(sessions + 200)], stdout=subprocess.PIPE)
    port = int(re.search(rb":(\d+)/mcp", process.stdout.readline())[1])
    rows = " ".join("{:id %d :name \"row %d\"}" % (i, i) for i in range(20))
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "lisp_eval", "arguments": {
        "source": f"(def rows [{rows}]) (defn twice [x] (* 2 x)) 1", "session": "new"}}}
    open_ones = []

    def resident():
        with open(f"/proc/{process.pid}/statm", encoding="utf-8") as numbers:
            return int(numbers.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def begin():
        connection = http.client.HTTPConnection("127.0.0.1", port)
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        for message in (INITIALIZE, call):
            connection.request("POST", "/mcp", json.dumps(message), headers)
            answer = connection.getresponse()
            answer.read()
            headers.setdefault("Mcp-Session-Id", answer.headers["Mcp-Session-Id"])
        open_ones.append(connection)
    for _ in range(100):
        begin()
    before = resident()
    for _ in range(sessions):
        begin()
    print(f"an idle session: {(resident() - before) / sessions / 1024:.1f} KB of memory, with its connection")
    process.terminate()
    process.wait()


if __name__ == "__main__":
    latency(os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 5000)
    session_memory(sys.argv[1])
