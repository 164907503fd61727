#!/usr/bin/env python3
"""Against what others made: official_test.py PTCC GROUP.. (tests/mcp_client/run sets NODE, NODE_PACKAGES and CONFORMANCE_CLIENT).

Everything and Filesystem are the official demonstration server and the official server of files, driven by programs and missions. Suite is
the official conformance suite with mcp_conformance_client as the client: suite_client.tsv has each scenario of a revision, with the numbers
of its checks that pass and fail, as a scenario in which nothing is connected passes with none."""
import json
import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
import ptcc_test
from ptcc_test import Case, ptcc

NODE, PACKAGES = os.environ["NODE"], os.environ["NODE_PACKAGES"]
OFFICIAL = os.path.join(PACKAGES, "@modelcontextprotocol")


class Official(Case):
    def setUp(self):
        super().setUp()
        self.env = {**os.environ, "XDG_CACHE_HOME": os.path.join(self.folder, "cache"), "XDG_STATE_HOME": self.folder}

    def config(self, name, *arguments, **members):
        row = {"command": NODE, "args": [os.path.join(OFFICIAL, "server-" + name, "dist", "index.js"), *arguments], **members}
        return self.file("mcp.json", json.dumps({"mcpServers": {name: row}}))

    def values(self, config, *programs):
        done = ptcc("repl", "--mcp", config, stdin="\n".join(programs) + "\n", env=self.env)
        self.check(done, 0)
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()


class Everything(Official):
    def test_tools_as_programs_call_them(self):
        values = self.values(self.config("everything"), '(tool/everything.echo {:message "hi"})', "(tool/everything.get-sum {:a 1 :b 2})",
                             '(keys (tool/everything.get-structured-content {:location "New York"}))',
                             "(mapv (fn [c] (:type c)) (tool/everything.get-tiny-image {}))",
                             "(tool/everything.trigger-long-running-operation {:duration 0.1 :steps 2})",
                             "(count (distinct (pmap (fn [i] (tool/everything.get-sum {:a i :b 1})) (range 20))))",
                             '(string? (get (tool/everything.get-env {}) "PATH"))')
        self.assertEqual(values, ['"Echo: hi"', '"The sum of 1 and 2 is 3."', '["conditions" "humidity" "temperature"]',
                                  '["text" "image" "text"]', '"Long running operation completed. Duration: 0.1 seconds, Steps: 2."', "20", "true"])

    def test_programs_are_checked_offline(self):
        config = self.config("everything")
        self.values(config, "(tool/everything.get-env {})")
        program = '(:temp (tool/everything.get-structured-content {:location "New York"}))\n(:PATHS (tool/everything.get-env {}))\n' \
                  '(tool/everything.get-sum {:a 1 :b "x"})\n'
        env = {**self.env, "PATH": "/nowhere"}
        done = ptcc("check", "-", "--mcp", config, "--format", "json", stdin=program, env=env)
        self.check(done, 1)
        found = [(d["severity"], d["reason"]) for d in json.loads(done.stdout)["diagnostics"]]
        # Of an environment, all texts, the names are data: nothing is learnt of them.
        self.assertEqual(sorted(found), [("error", "invalid_tool_args"), ("warning", "unknown_field")])


    MISSION = ('(def sums (pmap (fn [i] (tool/everything.get-sum {:a i :b i})) (range 4)))\n(count sums)',
               '(def weather (tool/everything.get-structured-content {:location "Chicago"}))\n(keys weather)',
               '(tool/everything.trigger-long-running-operation {:duration 0.1 :steps 2})',
               '(return {:sums (mapv (fn [s] (parse-long (second (re-find #"(\\d+)\\.$" s)))) sums) :fields (sort (keys weather))\n'
               '  :echo (tool/everything.echo {:message "hi"}) :asked (str (tool/everything.trigger-elicitation-request {}))})')

    def test_a_mission_and_its_recording(self):
        """A mission calls its tools over several turns, and is repeated without the server."""
        config, record = self.config("everything"), os.path.join(self.folder, "mission.rec")
        replies = self.file("replies.jsonl", "".join(json.dumps("```clojure\n" + p + "\n```") + "\n" for p in self.MISSION))
        done = ptcc("agent", "--mcp", config, "--prompt", "Try the tools.", "--llm", "script:" + replies, "--max-turns", "4", "--approve", "never",
                    "--record", record, env=self.env)
        self.check(done, 0)
        result = json.loads(done.stdout)
        self.assertEqual([result["sums"], result["fields"], result["echo"]], [[0, 2, 4, 6], ["conditions", "humidity", "temperature"], "Echo: hi"])
        self.assertIn("declined", result["asked"])
        again = ptcc("agent", "--replay", record, env={**self.env, "PATH": "/nowhere"})
        self.check(again, 0, done.stdout)

    def test_its_tools_are_in_the_prompt_of_a_mission(self):
        model = self.file("model.py", "import json, sys\nfor line in sys.stdin:\n    r = json.loads(line)\n"
                          f"    open({os.path.join(self.folder, 'system')!r}, 'w').write(r['system'])\n"
                          "    print(json.dumps({'id': r['id'], 'text': '```clojure\\n(return 1)\\n```'}), flush=True)\n")
        self.check(ptcc("agent", "--mcp", self.config("everything"), "--prompt", "x", "--llm", f"cmd:{sys.executable} {model}", env=self.env), 0, "1\n")
        with open(os.path.join(self.folder, "system"), encoding="utf-8") as text:
            prompt = text.read()
        self.assertIn("everything.get-sum(a :float, b :float) -> :any", prompt)
        self.assertIn("everything.get-structured-content(location ", prompt)
        self.assertLess(len(prompt), 40_000)


class Filesystem(Official):
    """An agent reads a directory, groups what is in its files, and writes a report when somebody has agreed."""

    PROGRAMS = ('(def names (map (fn [line] (subs line 7)) (filter (fn [line] (starts-with? line "[FILE]"))\n'
                '  (split-lines (:content (tool/filesystem.list_directory {:path data/folder}))))))\n'
                '(def orders (mapcat (fn [n] (json/parse-string (:content (tool/filesystem.read_text_file {:path (str data/folder "/" n)})))) names))\n'
                '{:files (count names) :orders (count orders)}',
                '(def totals (into {} (map (fn [[region rows]] [region (reduce + (map :amount rows))]) (group-by :region orders))))\n'
                '(tool/filesystem.write_file {:path (str data/folder "/report.txt")\n'
                '  :content (join "\\n" (map (fn [[region total]] (str region ": " total)) (sort totals)))})\n'
                '(return totals)')

    def mission(self, approve, stdin=""):
        folder = os.path.join(os.path.realpath(self.folder), "orders")
        os.makedirs(folder)
        rows = [[("north", 3), ("south", 4)], [("north", 5)], [("west", 1), ("south", 2)]]
        for i, file in enumerate(rows):
            with open(os.path.join(folder, f"{i}.json"), "w", encoding="utf-8") as out:
                json.dump([{"region": region, "amount": amount} for region, amount in file], out)
        config = self.config("filesystem", folder, approval=["write_file"])
        replies = self.file("replies.jsonl", "".join(json.dumps("```clojure\n" + p + "\n```") + "\n" for p in self.PROGRAMS))
        data = self.file("folder.json", json.dumps(folder))
        done = ptcc("agent", "--mcp", config, "--prompt", "Sum the orders of {{folder}} by region.", "--data", "folder=" + data,
                    "--llm", "script:" + replies, "--approve", approve, "--max-turns", "2", stdin=stdin, env=self.env)
        report = os.path.join(folder, "report.txt")
        if not os.path.exists(report):
            return done, None
        with open(report, encoding="utf-8") as text:
            return done, text.read()

    def test_with_approval(self):
        done, report = self.mission("ask", "y\n")
        self.check(done, 0, '{"north":8,"south":6,"west":1}\n', "waits for approval")
        self.assertEqual(report, "north: 8\nsouth: 6\nwest: 1")

    def test_without_approval_nothing_is_written(self):
        done, report = self.mission("never")
        self.assertEqual(done.returncode, 1)
        self.assertIsNone(report)

    def test_what_the_server_forbids_is_a_failure_of_the_call(self):
        folder = os.path.realpath(self.folder)
        values = self.values(self.config("filesystem", folder),
                             '(try (tool/filesystem.read_text_file {:path "/etc/passwd"}) (catch Exception e (includes? (ex-message e) "Access denied")))')
        self.assertEqual(values, ["true"])


class Suite(Official):
    def results(self, revision):
        """The suite at work on what is required, and what more there is for the revision."""
        command = [NODE, os.path.join(OFFICIAL, "conformance", "dist", "index.js"), "client", "--command", os.environ["CONFORMANCE_CLIENT"],
                   "--requirements", revision]
        return subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def test_all_that_both_revisions_require(self):
        with open(os.path.join(HERE, "suite_client.tsv"), encoding="utf-8") as lines:
            rows = [line.rstrip("\n").split("\t") for line in lines if not line.startswith("#")]
        running = {revision: self.results(revision) for revision in sorted({row[0] for row in rows})}
        for revision, process in running.items():
            text = process.communicate(timeout=600)[0]
            summary = text[text.index("=== SUITE SUMMARY ==="):]
            found = {m[1]: (int(m[2]), int(m[3])) for m in re.finditer(r"^[✓✗] (\S+): (\d+) passed, (\d+) failed", summary, re.M)}
            held = {scenario: (int(passed), int(failed)) for of, scenario, passed, failed in rows if of == revision}
            for scenario in sorted(set(found) | set(held)):
                with self.subTest(revision=revision, scenario=scenario):
                    self.assertEqual(found.get(scenario), held.get(scenario), text[-3000:])
            # What fails is not required.
            optional = set(re.findall(r"^  [✓✗] (\S+) \(", summary, re.M))
            self.assertLessEqual({scenario for scenario, (_, failed) in held.items() if failed}, optional)
            self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    ptcc_test.PTCC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
