#!/usr/bin/env python3
"""What the README says for programs in which people talk to models: hosts_test.py PTCC [unittest's arguments] (tests/mcp_hosts/run sets NODE
and NODE_PACKAGES).

Each block of the README is put where its client looks for it. What a client can do here without a person and without a login:

| client         | what is done                                                                                            |
| -------------- | ------------------------------------------------------------------------------------------------------- |
| Claude Code    | `claude mcp list`, from .mcp.json and after the line `claude mcp add ..`: it connects                   |
| Gemini CLI     | `gemini mcp list`: it connects                                                                          |
| Codex CLI      | its app server tells the tools of the server: it connects, and has listed them                          |
| Claude Desktop | a program with windows, not in npm: its file is one that `ptcc eval --mcp` reads, and starts the server |
| Cursor         | the same                                                                                                |
| VS Code        | the same                                                                                                |
| Zed            | the same                                                                                                |
"""
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
import ptcc_test
from ptcc_test import SECONDS, Case, ptcc

NODE, PACKAGES = os.environ["NODE"], os.environ["NODE_PACKAGES"]
TOOLS = ["lisp_check", "lisp_eval", "lisp_explain", "lisp_reference"]


def blocks():
    """By client: the file that the README names for it, and what is in it."""
    with open(os.path.join(HERE, "..", "..", "README.md"), encoding="utf-8") as text:
        readme = text.read()
    section = readme.split("\n## Programs for any client of the Model Context Protocol\n")[1].split("\n## ")[0]
    found = re.findall(r"^\*\*(.+?)\*\*, `(.+?)`.*:\n\n```(?:json|toml)\n((?:.+\n)+?)```\n", section, re.M)
    return section, {client: (path, block) for client, path, block in found}


class Hosts(Case):
    def setUp(self):
        super().setUp()
        self.section, self.blocks = blocks()
        self.home, self.project = (os.path.join(self.folder, name) for name in ("home", "project"))
        for folder in (self.home, os.path.join(self.project, "build", "demo-data"), os.path.join(self.folder, "bin")):
            os.makedirs(folder)
        self.write(os.path.join(self.project, "build", "demo-data", "orders.json"), json.dumps([{"id": 1, "total": 5}, {"id": 2, "total": 7}]))
        os.symlink(ptcc_test.PTCC, os.path.join(self.folder, "bin", "ptcc"))
        self.env = {"HOME": self.home, "PATH": os.path.join(self.folder, "bin") + ":" + os.environ["PATH"], "LANG": "C.UTF-8", "NO_COLOR": "1",
                    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_TELEMETRY_ENABLED": "false"}

    def write(self, path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)

    def place(self, client):
        """Puts the client's block where the README says; in the project, unless it names the home."""
        path, block = self.blocks[client]
        block = block.replace("/home/me/project", self.project)
        self.write(path.replace("~", self.home, 1) if path.startswith("~") else os.path.join(self.project, path), block)

    def run_client(self, *command, cwd=None):
        done = subprocess.run(command, cwd=cwd or self.project, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout or done.stderr

    def native(self, pattern):
        """The program of a package that is for one kind of machine."""
        found = glob.glob(os.path.join(PACKAGES, pattern))
        self.assertEqual(len(found), 1, pattern)
        return found[0]

    def test_each_client_has_a_block_of_five_lines_at_most(self):
        self.assertEqual(sorted(self.blocks), ["Claude Code", "Claude Desktop", "Codex CLI", "Cursor", "Gemini CLI", "VS Code", "Zed"])
        for client, (_, block) in self.blocks.items():
            self.assertLessEqual(block.count("\n"), 5, client)

    def test_each_file_of_json_starts_a_server_with_its_data(self):
        for client, (_, block) in self.blocks.items():
            if client == "Codex CLI":
                continue
            program = '(get (tool/ptc.lisp_eval {:source "(reduce + (map :total data/orders))"}) "json")'
            done = ptcc("eval", "--mcp", self.file("mcp.json", block), program, cwd=self.project, env={**self.env, "XDG_CACHE_HOME": self.folder})
            self.check(done, 0, "12\n")

    def test_claude_code_connects(self):
        claude = self.native("@anthropic-ai/claude-code-linux-*/claude")
        self.place("Claude Code")
        self.write(os.path.join(self.home, ".claude", "settings.json"), json.dumps({"enableAllProjectMcpServers": True}))  # a person says yes
        self.assertRegex(self.run_client(claude, "mcp", "list"), r"(?m)^ptc: ptcc mcp .* Connected$")
        line = re.search(r"`claude (mcp add .+?)`", self.section)[1]
        elsewhere = os.path.join(self.folder, "elsewhere")
        os.makedirs(elsewhere)
        os.symlink(os.path.join(self.project, "build"), os.path.join(elsewhere, "build"))
        self.run_client(claude, *shlex.split(line), cwd=elsewhere)
        self.assertRegex(self.run_client(claude, "mcp", "list", cwd=elsewhere), r"(?m)^ptc: ptcc mcp .* Connected$")

    def test_gemini_cli_connects(self):
        self.place("Gemini CLI")
        said = self.run_client(NODE, os.path.join(PACKAGES, "@google", "gemini-cli", "bundle", "gemini.js"), "mcp", "list")
        self.assertRegex(said, r"(?m)ptc: ptcc mcp .* \(stdio\) - Connected$")

    def test_codex_cli_connects_and_lists_the_tools(self):
        codex = self.native("@openai/codex-linux-*/vendor/*/bin/codex")
        self.place("Codex CLI")
        listed = json.loads(self.run_client(codex, "mcp", "list", "--json"))
        self.assertEqual([(row["name"], row["enabled"], row["transport"]["command"]) for row in listed], [("ptc", True, "ptcc")])
        process = subprocess.Popen([codex, "app-server"], cwd=self.project, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdin.close)

        def ask(number, method, **params):
            process.stdin.write(json.dumps({"id": number, "method": method, "params": params}) + "\n")
            process.stdin.flush()
            for line in process.stdout:
                answer = json.loads(line)
                if answer.get("id") == number and "method" not in answer:
                    return answer["result"]
            self.fail("it has ended")
        ask(1, "initialize", clientInfo={"name": "test", "title": "test", "version": "1"})
        process.stdin.write('{"method": "initialized"}\n')
        servers = {row["name"]: row for row in ask(2, "mcpServerStatus/list")["data"]}
        self.assertEqual((servers["ptc"]["serverInfo"]["name"], sorted(servers["ptc"]["tools"])), ("ptcc", TOOLS))


if __name__ == "__main__":
    ptcc_test.PTCC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
