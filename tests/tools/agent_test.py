#!/usr/bin/env python3
"""Missions from the command line: agent_test.py PTCC [unittest's arguments]. Models and tools are programs of this file."""
import html.parser
import http.server
import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import unittest

import ptcc_test
from ptcc_test import Case, SECONDS, ptcc
from waiting import Gate, wait_until

# Answers request after request: REPLY is the body of a loop that has `r`, the request.
PROGRAM = """import json, os, sys, time
for line in sys.stdin:
    r = json.loads(line)
    a = {"id": r["id"]}
%s
    print(json.dumps(a), flush=True)
"""


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z" # nor is one that nobody has looked after
    except FileNotFoundError:
        return False


def fenced(program):
    return "```clojure\n" + program + "\n```"


def script(*replies):
    return "".join(json.dumps(fenced(r) if isinstance(r, str) else r) + "\n" for r in replies)


class Agents(Case):
    def program(self, name, body):
        """A command that runs Python code for each request."""
        return "python3 " + self.file(name, PROGRAM % "".join("    " + line + "\n" for line in body.splitlines()))

    def agent(self, *arguments, replies=(), **options):
        llm = () if "--llm" in arguments else ("--llm", "script:" + self.file("replies.jsonl", script(*replies)))
        return ptcc("agent", *arguments, *llm, **options)

    def tools(self, **tools):
        return self.file("tools.json", json.dumps(tools))

    def trace(self):
        with open(os.path.join(self.folder, "t.jsonl"), encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]


class Mission(Agents):
    def test_the_result_is_a_line_of_json(self):
        n = self.file("n.json", "20")
        done = self.agent("--prompt", "Add to {{n}}.", "--signature", "(n :int) -> {sum :int}", "--data", "n=" + n,
                          replies=["(def one 1)", "(return {:sum (+ data/n one one)})"])
        self.check(done, 0, '{"sum":22}\n', "")

    def test_a_failed_mission_exits_1_and_tells_why(self):
        done = self.agent("--prompt", "x", replies=['(fail {:reason :no_data :message "Nothing is there."})'])
        self.check(done, 1, "", "no_data: Nothing is there.")

    def test_a_machine_without_libcurl_is_told_so_when_a_provider_is_used(self):
        for name in ("libcurl.so.4", "libcurl-gnutls.so.4"):
            self.file(name, "no library")
        done = self.agent("--prompt", "x", "--llm", "openai:m", env={**os.environ, "LD_LIBRARY_PATH": self.folder, "OPENAI_API_KEY": "k" * 20})
        self.check(done, 2, "", "need libcurl, which cannot be loaded: ")
        self.assertIn("libcurl.so.4", done.stderr)

    def test_step_prints_failures_too(self):
        done = self.agent("--prompt", "x", "--step", replies=["(def k 7)", "(fail {:reason :no_data})"])
        self.assertEqual(done.returncode, 1)
        step = json.loads(done.stdout)
        self.assertEqual((step["ok"], step["fail"]["reason"], step["memory"], step["usage"]["turns"]), (False, "no_data", {"k": 7}, 2))

    def test_max_turns(self):
        done = self.agent("--prompt", "x", "--max-turns", "2", replies=["1", "2", "(return 3)"])
        self.check(done, 1, "", "max_turns_exceeded")

    def test_a_file_has_all_options_of_models(self):
        path = os.path.join(self.folder, "seen")
        model = self.program("model.py", f'open({path!r}, "a").write(line)\na["error"] = {{"kind": "flaky", "message": "no"}}')
        agent = self.file("agent.json", json.dumps({
            "prompt": "x", "llm_options": {"reasoning_effort": "low"}, "system_prompt": "Talk like a pirate.", "token_limit": 1000,
            "llm_retry": {"max_attempts": 2, "base_delay": 1, "backoff": "constant", "retryable_errors": ["flaky"]}}))
        self.check(self.agent("--agent", agent, "--llm", "cmd:" + model), 1, "", "llm_error")
        with open(path, encoding="utf-8") as file:
            requests = [json.loads(line) for line in file]
        self.assertEqual([r["attempt"] for r in requests], [1, 2])
        self.assertEqual(requests[0]["options"], {"reasoning_effort": "low"})
        self.assertTrue(requests[0]["system"].endswith("Talk like a pirate."))
        for wrong in ({"llm_retry": {"retryable_errors": [1]}}, {"llm_retry": {"tries": 2}}, {"system_prompt": {"hole": ""}}):
            done = self.agent("--agent", self.file("wrong.json", json.dumps({"prompt": "x", **wrong})), replies=["1"])
            self.assertEqual(done.returncode, 2, wrong)

    def test_a_cost_budget_needs_prices(self):
        agent = self.file("agent.json", '{"prompt": "x", "max_cost_usd": 1}')
        environment = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
        done = self.agent("--agent", agent, "--llm", "openai:no-such-model", env={**os.environ, **environment})
        self.check(done, 2, "", "the price of `openai:no-such-model` is not known")

    def test_flags_bound_turns_tokens_and_dollars(self):
        spends = {"text": fenced("1"), "tokens": {"input": 600, "output": 400}, "cost_usd": 0.4}
        child = self.tools(child={"agent": {"prompt": "x", "signature": "() -> :int"}})
        for flags, reason in ((["--token-limit", "1500"], "budget_callback_exceeded"), (["--max-cost-usd", "0.5"], "budget_callback_exceeded"),
                              (["--turn-budget", "2", "--tools", child], "turn_budget_exhausted")):
            self.check(self.agent("--prompt", "x", "--max-turns", "4", *flags, replies=[spends] * 4), 1, "", reason)
        self.check(self.agent("--prompt", "x", "--signature", "{n :int}", "--max-turns", "1", "--retry-turns", "1", replies=["{:n :a}", "{:n 2}"]),
                   0, '{"n":2}\n', "")
        self.check(self.agent("--prompt", "x", "--max-cost-usd", "much", replies=["1"]), 2, "", "--max-cost-usd takes a number of dollars")

    def test_combined_mode_has_a_flag(self):
        call = {"tool_calls": [{"id": "c", "name": "lisp_eval", "args": {"program": "(+ 1 2)"}}]}
        done = self.agent("--prompt", "x", "--output", "text", "--transport", "tool_call", replies=[call, {"text": "Three."}])
        self.check(done, 0, '"Three."\n', "")

    def test_mistakes_come_with_a_hint(self):
        done = self.agent("--prompt", "x", "--signature", "() -> :strng", replies=["1"])
        self.check(done, 2, "", "hint: ")
        self.assertIn(":string", done.stderr.split("hint: ")[1])
        for tool, hint in (({"signatur": "() -> :int", "do": {"return": 1}}, "`signature`"), ({"cmd": "cat", "cached": True}, "`cache`"),
                           ({"agent": {"prompt": "x", "signature": ":int", "max_turn": 2}}, "`max_turns`")):
            done = self.agent("--prompt", "x", "--tools", self.tools(find=tool), replies=["1"])
            self.check(done, 2, "", hint)
        for member, value in (("signature", 5), ("signature", [":=>", [":cat"], ":int"]), ("description", ["x"]), ("cache", "yes")):
            done = self.agent("--prompt", "x", "--tools", self.tools(find={"do": {"return": 1}, member: value}), replies=["1"])
            self.check(done, 2, "", f"`{member}` must be")

    def test_content_needs_a_collector(self):
        self.check(self.agent("--prompt", "x", "--telemetry-content", replies=["(return 1)"]), 2, "", "needs --telemetry URL")
        for option in ("--telemetry", "--trace", "--record", "--replay", "--checkpoint", "--resume"): # a variable of a script that is not set
            self.check(self.agent("--prompt", "x", option, "", replies=["(return 1)"]), 2, "", option)
        self.check(self.agent("--prompt", "x", "--telemetry", "http://me:secret@127.0.0.1:1", replies=["(return 1)"]), 2, "", "without user")

    def test_names_of_data_that_no_program_can_write(self):
        path = os.path.join(self.folder, "v.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write("1")
        self.check(self.agent("--prompt", "x", "--data", f"a b={path}", replies=["(return 1)"]), 1, "", "`a-b` would do")

    def test_programs_that_do_not_exist_are_told_at_once(self):
        for command in ("no-such-program --fast", "exec no-such-program", "/no/such/program", ["no-such-program", "x"]):
            tools = self.tools(find={"cmd": command})
            self.check(self.agent("--prompt", "x", "--tools", tools, replies=["(return 1)"]), 2, "", "There is no program `")
        self.check(self.agent("--prompt", "x", "--llm", "cmd:no-such-program"), 2, "", "There is no program `no-such-program`.")
        for fine in ("cd . && cat", "X=1 cat", "true; cat", "exec cat", "{ cat; }"):
            self.check(self.agent("--prompt", "x", "--tools", self.tools(find={"cmd": fine}), replies=["(return 1)"]), 0, "1\n", "")

    def test_step_has_warnings_and_cached_tokens(self):
        tools = self.tools(find={"signature": "(n :int) -> :int", "do": {"return": 1}})
        reply = {"text": fenced('(return (tool/find {:n "7"}))'), "tokens": {"input": 9, "output": 1, "cache_read": 6, "cache_creation": 2}}
        done = self.agent("--prompt", "x", "--step", "--tools", tools, replies=[reply])
        step = json.loads(done.stdout)
        self.assertEqual(step["warnings"], ['find: n: coerced string "7" to int'])
        self.assertEqual((step["usage"]["cache_read_tokens"], step["usage"]["cache_creation_tokens"]), (6, 2))

    def test_what_is_wrong_before_it_starts_exits_2(self):
        good = self.file("replies.jsonl", script("(return 1)"))
        no_answer = self.tools(search={"signature": "() -> :int"})
        bad_command = self.tools(search={"cmd": 7})
        for arguments in (["--prompt", "x"], ["--llm", "script:" + good], ["--prompt", "x", "--llm", "gpt"],
                          ["--prompt", "x", "--llm", "script:/nowhere"], ["--prompt", "x", "--llm", "script:" + self.file("bad", "7\n")],
                          ["--prompt", "x", "--llm", "script:" + good, "--signature", "() ->"],
                          ["--prompt", "x", "--llm", "script:" + good, "--tools", no_answer],
                          ["--prompt", "x", "--llm", "script:" + good, "--tools", bad_command],
                          ["--prompt", "x", "--llm", "script:" + good, "--data", "n=/nowhere"],
                          ["--prompt", "x", "--llm", "script:" + good, "--trace", "/nowhere/t"],
                          ["--prompt", "x", "--llm", "script:" + good, "--agent", self.file("a.json", '{"colour": 1}')]):
            with self.subTest(arguments):
                self.check(ptcc("agent", *arguments), 2, out="", err="ptcc: ")

    def test_an_agent_from_a_file(self):
        file = self.file("a.json", json.dumps({"prompt": "x", "signature": "() -> :int", "max_turns": 1}))
        self.check(self.agent("--agent", file, replies=["(+ 1 2)"]), 0, "3\n", "")

    def test_a_model_by_name_answers_an_agent_that_is_a_tool(self):
        child = self.tools(judge={"agent": {"prompt": "Judge {{x}}.", "signature": "(x :int) -> {good :bool}"}, "llm": "small"},
                           judge_again={"llm_tool": {"prompt": "Judge {{x}}.", "signature": "(x :int) -> {good :bool}", "llm": "small"}})
        small = self.file("small.jsonl", script({"text": '{"good": true}'}))
        done = self.agent("--prompt", "x", "--tools", child, "--model", "small=script:" + small,
                          replies=["(return (tool/judge_again {:x 1}))"])
        self.check(done, 0, '{"good":true}\n', "")


class Attachments(Agents):
    PNG = b"\x89PNG\r\n\x1a\npixels"

    def bytes_file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def looking(self):
        return "cmd:" + self.program("model.py", "m = r['messages'][-1]\na['text'] = '```clojure\\n(return ' + json.dumps(json.dumps([[x.get('name'), x['media_type'], x.get('url'), len(x.get('base64', ''))] for x in m.get('attachments', [])])) + ')\\n```'")

    def test_images_and_files_go_with_the_prompt(self):
        given = ("--image", self.bytes_file("a.png", self.PNG), "--image", "https://example.com/b.png", "--file", self.file("rows.csv", "a,b\n"))
        done = self.agent("--prompt", "Look.", *given, "--llm", self.looking())
        self.assertEqual(json.loads(json.loads(done.stdout)), [[None, "image/png", None, 20], [None, "", "https://example.com/b.png", 0], ["rows.csv", "text/csv", None, 8]])
        recording = os.path.join(self.folder, "m.rec")
        self.check(self.agent("--prompt", "Look.", *given, "--record", recording, "--llm", self.looking()), 0)
        os.remove(os.path.join(self.folder, "a.png")) # a recording has them
        again = ptcc("agent", "--replay", recording)
        self.assertEqual((again.returncode, again.stdout), (0, done.stdout), again.stderr)

    def test_a_file_that_is_not_there_is_told(self):
        done = self.agent("--prompt", "x", "--image", "/nosuch.png", replies=["(return 1)"])
        self.check(done, 2, "")
        self.assertIn("--image", done.stderr)

    def test_a_program_that_is_a_tool_shows_an_image(self):
        tool = self.program("shot.py", "import base64\na['result'] = 'a screen'\na['attachments'] = [{'base64': base64.b64encode(%r).decode()}]" % self.PNG)
        tools = self.tools(shot={"signature": "() -> :string", "cmd": tool})
        model = "cmd:" + self.program("two.py", "m = r['messages'][-1]\na['text'] = '```clojure\\n(return ' + json.dumps(m['attachments'][0]['media_type']) + ')\\n```' if m.get('attachments') else '```clojure\\n(tool/shot {})\\n```'")
        done = self.agent("--prompt", "Look.", "--tools", tools, "--llm", model)
        self.assertEqual(done.stdout, '"image/png"\n', done.stderr)


class Compaction(Agents):
    REPLIES = ["(def a%d %d)" % (i, i) for i in range(1, 8)] + ["(return (+ a1 a7))"]

    def test_the_oldest_turns_are_cut_and_told(self):
        flags = ("--compact-turns", "3", "--keep-turns", "2", "--max-turns", "10")
        row = self.file("agent.json", json.dumps({"max_turns": 10, "compaction": {"trigger": {"turns": 3}, "keep_recent_turns": 2}}))
        for how in flags, ("--agent", row):
            done = self.agent("--prompt", "Count.", *how, "--step", "--trace", self.folder + "/t.jsonl", replies=self.REPLIES)
            self.assertEqual(done.returncode, 0, done.stderr)
            step = json.loads(done.stdout)
            self.assertEqual(step["return"], 8)
            self.assertEqual([line["turn"] for line in step["journal"]], [1, 2, 3, 4])
            cut = [e for e in self.trace() if e["event"] == "compaction"]
            self.assertEqual(cut[-1]["text"].split("\n")[0], "[Turns 1 to 4 are cut from this conversation. What programs defined is still "
                             "there: a1, a2, a3, a4, a5, a6.]")
            self.assertIn("~ [Turns 1 to 2 are cut", ptcc("trace", self.folder + "/t.jsonl").stdout)

    def test_what_makes_no_sense_exits_2(self):
        done = self.agent("--prompt", "Count.", "--compact-turns", "3", replies=self.REPLIES)
        self.check(done, 2, "", "ptcc: `compaction` keeps 6 turns, so its trigger must be at least as many, not 3.\n")
        row = self.file("agent.json", json.dumps({"compaction": {"trigger": 3}}))
        self.check(self.agent("--prompt", "Count.", "--agent", row, replies=self.REPLIES), 2, "", "`compaction` must be made of")


class Guards(Agents):
    PAY = {"pay": {"signature": "(amount :int) -> :int", "do": {"return": 1}}}

    def test_programs_of_the_file_guard_tools_and_results(self):
        agent = self.file("agent.json", json.dumps({"prompt": "x", "signature": "() -> {n :int}", "tools": self.PAY, "guards": [
            {"name": "limit", "at": ["before_tool"], "program": '(if (> (:amount data/value) 5) {:refuse "Too much."} true)'},
            {"name": "even", "at": "result", "program": '(if (even? (:n data/value)) true {:refuse "n must be even."})'}]}))
        path = os.path.join(self.folder, "t.jsonl")
        done = self.agent("--agent", agent, "--trace", path, replies=["(tool/pay {:amount 9})", "(return {:n 3})", "(return {:n (+ 1 (tool/pay {:amount 2}))})"])
        self.check(done, 0, '{"n":2}\n', "")
        guards = [event for event in self.trace() if event["event"] == "guard"]
        self.assertEqual([(e["guard"], e["point"], e["reason"], e["ok"], e["message"]) for e in guards],
                         [("limit", "before_tool", "refuse", False, "Too much."), ("even", "result", "refuse", False, "n must be even.")])
        self.assertIn("guard limit at before_tool: refuse: Too much.", ptcc("trace", path).stdout)
        page = os.path.join(self.folder, "p.html")
        self.check(ptcc("trace", path, "--html", page), 0)
        with open(page, encoding="utf-8") as file:
            self.assertIn("The guard limit at before_tool", file.read())

    def test_mistakes_in_guards_and_handoffs_are_told(self):
        for wrong, says in (({"guards": [{"at": "befor_tool", "program": "true"}]}, "before_model"), ({"guards": [{"at": "result", "program": "(x)"}]}, "is wrong"),
                            ({"guards": [{"att": "result"}]}, "no member `att`"), ({"guards": 7}, "list of maps"), ({"handoffs": 7}, "map"),
                            ({"handoffs": {"a": {"agent": {"prompt": "y"}, "context": 7}}}, "true or false"), ({"handoffs": {"a": {"do": {}}}}, "needs an agent")):
            done = self.agent("--agent", self.file("a.json", json.dumps({"prompt": "x", **wrong})), replies=["1"])
            self.check(done, 2, "", says)

    def test_a_handoff_of_the_file_takes_over(self):
        agent = self.file("agent.json", json.dumps({"prompt": "x", "handoffs": {"billing": {"agent": {"prompt": "Pay.", "tools": self.PAY}}}}))
        path, record = os.path.join(self.folder, "t.jsonl"), os.path.join(self.folder, "m.rec")
        done = self.agent("--agent", agent, "--data", "a=" + self.file("a.json", "4"), "--trace", path, "--record", record,
                          replies=["(tool/billing)", "(return (+ data/a (tool/pay {:amount 2})))"])
        self.check(done, 0, "5\n", "")
        self.check(ptcc("agent", "--replay", record), 0, "5\n", "")
        self.assertEqual([e["tool"] for e in self.trace() if e.get("handoff")], ["billing", "billing"])
        done = self.agent("--agent", agent, "--step", replies=["(tool/billing)", "(return 1)"])
        self.assertEqual(json.loads(done.stdout)["handed_over"], ["billing"])


class Preludes(Agents):
    CRM = """(ns crm "Customers and their orders.")
(defn find-one "One customer by id." [id] (tool/lookup {:id (inc id)}))
(defn rare "Seldom needed." {:visibility :discoverable} [] 7)
(defn- secret-step [] 8)
"""

    def test_programs_use_them_and_the_prompt_tells_of_them(self):
        crm = self.file("crm.ptc", self.CRM)
        tools = self.tools(lookup={"signature": "(id :int) -> :map", "do": {"echo": True}})
        seen = os.path.join(self.folder, "seen")
        program = "(return (:id (crm/find-one (crm/rare))))"
        model = self.program("model.py", f'open({seen!r}, "w").write(r["system"])\na["text"] = {fenced(program)!r}')
        done = self.agent("--prompt", "x", "--prelude", crm, "--tools", tools, "--llm", "cmd:" + model)
        self.check(done, 0, "8\n", "")
        with open(seen, encoding="utf-8") as file:
            told = file.read().split("## Namespaces\n")[1].split("\n\n")[0]
        self.assertEqual(told, "crm: Customers and their orders.\n  (crm/find-one id)\n    One customer by id.\n"
                               "  (ns-publics 'crm) lists more of it.")

    def test_one_that_is_wrong_exits_2(self):
        crm = self.file("crm.ptc", self.CRM)
        self.check(self.agent("--prompt", "x", "--prelude", crm, replies=["(return 1)"]), 2, "", "crm.ptc:2:7: ")
        bad = self.file("bad.ptc", "(ns crm)\n(defn f [] (g))")
        self.check(self.agent("--prompt", "x", "--prelude", bad, replies=["(return 1)"]), 2, "", "bad.ptc:2:13: ")
        self.check(self.agent("--prompt", "x", "--prelude", "/nowhere", replies=["(return 1)"]), 2, "", "/nowhere")


class Repl(Agents):
    """Missions in the REPL."""

    def repl(self, lines, *arguments, replies=()):
        file = self.file("replies.jsonl", script(*replies))
        return ptcc("repl", *arguments, stdin="".join(line.replace("LLM", "--llm script:" + file) + "\n" for line in lines))

    def test_a_mission_uses_the_data_and_tools_and_leaves_its_result(self):
        n = self.file("n.json", "20")
        done = self.repl(["(def x 1)", '/subagent LLM --signature "(n :int) -> {sum :int}" Add one to {{n}}, exactly.', "(:sum *1)", "*2", "x"],
                         "--data", "n=" + n, "--test-tools", replies=["(+ 1 2)", "(return {:sum (tool/add {:x data/n :y 1})})"])
        self.check(done, 0, "#'x\n{\"sum\" 21}\n21\n{\"sum\" 21}\n1\n", "turn 2: the model answered")
        self.assertNotIn("tool/add {", done.stderr)

    def test_a_failed_mission_leaves_nothing(self):
        done = self.repl(["7", "/subagent LLM x", "*1"], replies=['(fail {:reason :no_data :message "Nothing."})'])
        self.check(done, 0, "7\n7\n", "failed: no_data: Nothing.")

    def test_verbose_tells_programs(self):
        done = self.repl(["/subagent:verbose LLM --max-turns 1 x"], replies=["(* 6 7)"])
        self.check(done, 0, "42\n", "(* 6 7)")

    def test_tools_and_preludes_are_the_missions_too(self):
        tools = self.tools(rate={"do": {"return": 3}}, ask={"llm_tool": {"prompt": "Is {{x}} good?", "signature": "(x :int) -> :bool"}})
        crm = self.file("crm.ptc", "(ns crm) (defn twice [] (* 2 (tool/rate)))")
        done = self.repl(["(crm/twice)", "/subagent LLM x", "*1"], "--tools", tools, "--prelude", crm,
                         replies=["(return [(crm/twice) (tool/ask {:x 1})])", {"text": "true"}])
        self.check(done, 0, "6\n[6 true]\n[6 true]\n")

    def test_what_is_wrong_is_told(self):
        for line, why in (("/subagent LLM", "needs a model and a prompt"), ("/subagent x", "needs a model"), ("/subagent LLM 'x", "not closed"),
                          ("/subagent --llm", "needs a value"), ("/subagent LLM --colour x", "no option `--colour`"),
                          ("/subagent LLM --max-turns 0 x", "takes a number"), ("/subagent LLM Find {{n}}.", "`n`"),
                          ("/subagent --llm gpt x", "cmd:PROGRAM or script:FILE"), ("/subagent LLM --signature '() ->' x", "signature")):
            with self.subTest(line):
                self.check(self.repl([line, "1"]), 0, "1\n", why)
        self.check(self.repl(["/subagents", "(- 6 4)"]), 0, "2\n")  # a name of the language, or none

    def test_help_lists_it(self):
        for command in ("/help", ":help"):
            self.assertIn("/subagent --llm", self.repl([command]).stdout)


class Programs(Agents):
    def test_a_model_and_a_tool_in_python(self):
        model = self.program("model.py", 'a["text"] = "```clojure\\n(return (tool/double {:x %d}))\\n```" % len(r["messages"])')
        tools = self.tools(double={"signature": "(x :int) -> :int", "cmd": self.program("tool.py", 'a["result"] = 2 * r["arguments"]["x"]')})
        self.check(self.agent("--prompt", "x", "--llm", "cmd:" + model, "--tools", tools), 0, "2\n", "")

    def test_what_a_model_is_sent(self):
        path = os.path.join(self.folder, "seen")
        model = self.program("model.py", f'open({path!r}, "a").write(line)\na["text"] = "```clojure\\n(return 1)\\n```"')
        self.check(self.agent("--prompt", "Do it.", "--llm", "cmd:" + model, "--mission-timeout-ms", "500000"), 0, "1\n", "")
        with open(path, encoding="utf-8") as file:
            request = json.load(file)
        self.assertEqual((request["id"], request["kind"], request["turn"], request["attempt"], request["depth"]), (1, "llm", 1, 1, 0))
        self.assertEqual(request["messages"], [{"role": "user", "content": "Do it."}])
        self.assertIn("clojure", request["system"])
        self.assertTrue(0 < request["time_left_ms"] <= 500000, request["time_left_ms"])

    def test_one_process_answers_all_calls(self):
        tools = self.tools(pid={"signature": "() -> :int", "cmd": ["python3", self.program("tool.py", 'a["result"] = os.getpid()')[8:]]})
        done = self.agent("--prompt", "x", "--tools", tools, replies=["(return (count (set [(tool/pid) (tool/pid) (tool/pid)])))"])
        self.check(done, 0, "1\n", "")

    def test_errors_of_a_tool_reach_the_model(self):
        tools = self.tools(bad={"cmd": self.program("tool.py", 'a["error"] = "out of stock"')})
        done = self.agent("--prompt", "x", "--tools", tools, "--max-turns", "1", replies=["(tool/bad {})"])
        self.check(done, 1, "", "out of stock")

    def test_a_tool_that_ends_is_an_error_and_is_started_again(self):
        marker = os.path.join(self.folder, "marker")
        body = f'if not os.path.exists({marker!r}):\n    open({marker!r}, "w")\n    sys.exit(3)\na["result"] = 5'
        tools = self.tools(shy={"signature": "() -> :int", "cmd": self.program("tool.py", body)})
        done = self.agent("--prompt", "x", "--tools", tools, "--trace", os.path.join(self.folder, "t.jsonl"),
                          replies=["(tool/shy)", "(return (tool/shy))"])
        self.check(done, 0, "5\n", "")
        first = next(event for event in self.trace() if event["event"] == "tool_call")
        self.assertIn("ended with exit code 3", first["message"])

    def test_a_tool_that_hangs_costs_its_time_only(self):
        tools = self.tools(slow={"cmd": "cat >/dev/null"})
        done = self.agent("--prompt", "x", "--tools", tools, "--timeout-ms", "300", "--max-turns", "1", replies=["(tool/slow {})"])
        self.assertEqual(done.returncode, 1)

    def test_a_line_that_nobody_asked_for_answers_nothing(self):
        body = 'a["result"] = r["arguments"]["x"]\nprint(json.dumps(a) + "\\n" + json.dumps(a), flush=True)\ncontinue' # in one piece
        tools = self.tools(twice={"cmd": self.program("tool.py", body)})
        done = self.agent("--prompt", "x", "--tools", tools, "--max-turns", "1",
                          replies=["(return [(tool/twice {:x 1}) (tool/twice {:x 2})])"])
        self.check(done, 1, "", "before it was asked")

    def test_what_a_tool_started_ends_with_it(self):
        pids = os.path.join(self.folder, "pids")
        body = f'import subprocess\nwith open({pids!r}, "w") as f: f.write(str(subprocess.Popen(["sleep", "1000"]).pid))\na["result"] = 1'
        done = self.agent("--prompt", "x", "--tools", self.tools(one={"cmd": self.program("tool.py", body)}), replies=["(return (tool/one {}))"])
        self.check(done, 0, "1\n", "")
        with open(pids, encoding="utf-8") as file:
            pid = int(file.read())
        wait_until(lambda: not is_alive(pid), "the end of a program's child")

    def test_tools_get_no_keys(self):
        os.environ.update(OPENAI_API_KEY="sk-1", MINE="yes", OTHER="no")
        self.addCleanup(lambda: [os.environ.pop(name) for name in ("OPENAI_API_KEY", "MINE", "OTHER")])
        body = 'a["result"] = [n for n in ("PATH", "OPENAI_API_KEY", "MINE", "OTHER") if n in os.environ]'
        tools = self.tools(names={"cmd": self.program("tool.py", body), "env": ["MINE"]})
        self.check(self.agent("--prompt", "x", "--tools", tools, replies=["(return (tool/names {}))"]), 0, '["PATH","MINE"]\n', "")

    def test_answers_that_are_none(self):
        for answer in ("hello", "7", '{"id": 99, "text": "x"}', "{}", '{"id": 1, "text": 7}', '{"tool_calls": [{"id": "a"}]}'):
            with self.subTest(answer):
                done = self.agent("--prompt", "x", "--llm", f"cmd:read line; echo '{answer}'; cat >/dev/null")
                self.check(done, 1, "", "protocol")

    def test_a_program_that_a_shell_does_not_find(self):
        self.check(self.agent("--prompt", "x", "--llm", "cmd:cd / && /nowhere/model"), 1, "", "llm_error")

    def test_a_model_that_never_answers_ends_with_the_mission(self):
        done = self.agent("--prompt", "x", "--llm", "cmd:cat >/dev/null", "--mission-timeout-ms", "300")
        self.check(done, 1, "", "mission_timeout")

    def test_a_scripted_error_may_be_permanent(self):
        done = self.agent("--prompt", "x", replies=[{"error": {"kind": "quota", "permanent": True}}, "(return 1)"])
        self.check(done, 1, "", "quota")
        self.check(self.agent("--prompt", "x", replies=[{"error": {"kind": "flaky"}}, "(return 1)"]), 0, "1\n")

    def test_a_models_error_is_retried(self):
        model = self.program("model.py", 'if r["attempt"] == 1:\n    a["error"] = {"kind": "rate_limit", "retry_after_ms": 1}\n'
                                         'else:\n    a["text"] = "```clojure\\n(return 1)\\n```"')
        done = self.agent("--prompt", "x", "--llm", "cmd:" + model, "--trace", os.path.join(self.folder, "t.jsonl"))
        self.check(done, 0, "1\n", "")
        self.assertEqual([event["reason"] for event in self.trace() if event["event"] == "llm_retry"], ["rate_limit"])


class Trace(Agents):
    def traced(self, *arguments, replies):
        return self.agent("--prompt", "x", "--trace", os.path.join(self.folder, "t.jsonl"), *arguments, replies=replies)

    def test_events_in_order_with_their_payloads(self):
        tools = self.tools(add={"signature": "(x :int, y :int) -> :int", "do": {"return": 3}})
        self.traced("--tools", tools, replies=["(+ 1", '(println "hi") (return (tool/add {:x 1 :y 2}))'])
        events = self.trace()
        self.assertEqual([event["event"] for event in events],
                         ["mission_start", "turn_start", "llm_reply", "program_start", "turn_stop",
                          "turn_start", "llm_reply", "program_start", "tool_start", "tool_call", "turn_stop", "mission_stop"])
        self.assertEqual((events[4]["ok"], events[4]["reason"]), (False, "parse_error"))
        self.assertEqual(events[1]["told"], "x")
        self.assertIn("tool", events[1]["system"])
        self.assertIn("Turn 1 failed, parse_error", events[5]["told"])
        self.assertNotIn("system", events[5])
        call, stop, end = events[9:]
        self.assertEqual((call["tool"], call["arguments"], call["result"], call["exposure_layer"]), ("add", {"x": 1, "y": 2}, "3", "ptc_lisp"))
        self.assertEqual((stop["turn"], stop["prints"], stop["result"], len(stop["tool_calls"])), (2, ["hi"], "3", 1))
        self.assertGreater(stop["fuel"], 0)
        self.assertGreater(stop["peak_heap_bytes"], 0)
        self.assertEqual((end["ok"], end["usage"]["turns"], end["usage"]["tool_calls"]), (True, 2, 1))
        for event in events:
            self.assertRegex(event["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")

    def test_firewalled_values_are_never_in_it(self):
        key = self.file("key.json", '"hunter2-password"')
        ids = self.file("ids.json", "[71, 72]")
        tools = self.tools(send={"do": {"echo": True}})
        done = self.traced("--data", "_key=" + key, "--data", "_ids=" + ids, "--tools", tools, "--verbose",
                           replies=["(println data/_key) (tool/send {:to data/_ids :with [data/_key]})",
                                    "(return {:_ids data/_ids :_key data/_key})"])
        self.assertEqual(json.loads(done.stdout), {"_ids": [71, 72], "_key": "hunter2-password"})
        with open(os.path.join(self.folder, "t.jsonl"), encoding="utf-8") as file:
            text = file.read()
        for shown in (text, done.stderr):
            self.assertIn("<Firewalled>", shown)
            self.assertNotIn("hunter2", shown)
        calls = [event for event in self.trace() if event["event"] == "tool_call"]
        self.assertEqual(calls[0]["arguments"], {"to": "<Firewalled>", "with": ["<Firewalled>"]})

    def test_a_killed_mission_has_written_all_that_happened(self):
        tools = self.tools(hang={"signature": "(x :int) -> :int", "cmd": "cat >/dev/null"})
        path = os.path.join(self.folder, "t.jsonl")
        process = subprocess.Popen([ptcc_test.PTCC, "agent", "--prompt", "x", "--tools", tools, "--trace", path, "--timeout-ms", "1000000000",
                                    "--llm", "script:" + self.file("replies.jsonl", script("(tool/hang {:x 8})"))])
        wait_until(lambda: os.path.exists(path) and [event for event in self.trace() if event["event"] == "tool_start"], "the call of the tool")
        process.send_signal(signal.SIGKILL)
        process.wait(SECONDS)
        self.assertEqual(self.trace()[-1]["event"], "tool_start")
        done = ptcc("trace", path)
        self.check(done, 0, err="")
        self.assertIn('tool/hang {"x":8}  (no answer)', done.stdout)
        self.assertIn("the trace ends before the mission does", done.stdout)

    def test_trace_shows_agents_below_their_callers(self):
        tools = self.tools(child={"agent": {"prompt": "Find {{x}}.", "signature": "(x :int) -> :int"}})
        self.traced("--tools", tools, replies=["(return (tool/child {:x 4}))", "(return 44)"])
        child = [event for event in self.trace() if event["run"] == 2]
        self.assertEqual((child[0]["event"], child[0]["parent"], child[0]["depth"]), ("mission_start", 1, 1))
        done = ptcc("trace", os.path.join(self.folder, "t.jsonl"))
        self.check(done, 0, err="")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "agent  () -> :any")
        self.assertIn("    child  (x :int) -> :int", lines)
        self.assertIn("      (return 44)", lines)
        self.assertLess(lines.index("      (return 44)"), next(i for i, line in enumerate(lines) if 'tool/child {"x":4}' in line))
        brief = ptcc("trace", "--brief", os.path.join(self.folder, "t.jsonl"))
        self.assertNotIn("(return 44)", brief.stdout)

    def test_a_cut_line_at_the_end_is_told_others_are_wrong(self):
        self.traced(replies=["(return 1)"])
        with open(os.path.join(self.folder, "t.jsonl"), encoding="utf-8") as file:
            text = file.read()
        done = ptcc("trace", "-", stdin=text[:-30])
        self.check(done, 0, err="")
        self.assertTrue(done.stdout.endswith("(the last line is cut)\n"), done.stdout)
        for bad in ("", "x"):
            self.check(ptcc("trace", "-", stdin=bad + "\n"), 2 if bad else 0, out="")
        self.check(ptcc("trace", "-", stdin=text.replace('"event":"llm_reply"', '"what":1')), 2, out="", err="-:3: this is no event")

    def test_a_page_has_what_was_coerced(self):
        tools = self.tools(find={"signature": "(n :int) -> :int", "do": {"return": 1}})
        self.traced("--tools", tools, replies=['(return (tool/find {:n "7"}))'])
        page = os.path.join(self.folder, "t.html")
        self.check(ptcc("trace", os.path.join(self.folder, "t.jsonl"), "--html", page), 0, "", "")
        with open(page, encoding="utf-8") as file:
            self.assertIn('find: n: coerced string &quot;7&quot; to int</p>', file.read())

    def test_a_page_is_its_owners_alone_and_reached_through_no_link(self):
        self.traced(replies=["(return 1)"])
        trace, page, link = (os.path.join(self.folder, name) for name in ("t.jsonl", "t.html", "l.html"))
        with open(page, "w", encoding="utf-8") as file:
            file.write("old")
        os.chmod(page, 0o644)
        self.check(ptcc("trace", trace, "--html", page), 0, "", "")
        self.assertEqual(os.stat(page).st_mode & 0o777, 0o600)
        os.symlink(page, link)
        self.check(ptcc("trace", trace, "--html", link), 2, "", f"ptcc: Cannot write the page `{link}`: it is a symbolic link.\n")
        self.assertTrue(os.path.islink(link))
        done = subprocess.run([ptcc_test.PTCC, "trace", trace, "--html", "/dev/stdout"], capture_output=True, check=False)
        self.assertTrue(done.stdout.startswith(b"<!"), done)

    def test_a_page_nests_agents_in_turns_and_shows_text_as_text(self):
        tools = self.tools(child={"agent": {"prompt": "Find {{x}}.", "signature": "(x :int) -> :int"}})
        self.traced("--tools", tools, replies=['(println "<script>") (return (tool/child {:x 4}))', "(+ 1", "(return 44)"])
        page = os.path.join(self.folder, "t.html")
        self.check(ptcc("trace", os.path.join(self.folder, "t.jsonl"), "--html", page), 0, "", "")
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count("<script"), 1)  # the page's own, at its end
        self.assertIn('println <i class="s">&quot;&lt;script&gt;&quot;</i>', text)
        self.assertNotIn("http:", text)
        self.assertNotIn("https:", text)
        open_tags = []

        class Nesting(html.parser.HTMLParser):
            deepest = []

            def handle_starttag(self, tag, attrs):
                if tag != "meta":
                    open_tags.append(tag)
                if len(open_tags) > len(self.deepest):
                    self.deepest = list(open_tags)

            def handle_endtag(self, tag):
                if open_tags.pop() != tag:
                    raise ValueError(tag)

        parser = Nesting()
        parser.feed(text)
        self.assertEqual(open_tags, [])
        self.assertEqual(parser.deepest[:8], ["html", "body", "main", "article", "section", "details", "details", "section"])
        self.assertRegex(text, r'<details class="turn failed" id="e\d+" open>')  # the child's turn
        self.assertRegex(text, r'<details class="turn ok" id="e\d+"><summary>')  # its other one is folded

    def test_a_page_of_a_mission_that_was_killed_is_whole(self):
        self.traced(replies=["(return 1)"])
        with open(os.path.join(self.folder, "t.jsonl"), encoding="utf-8") as file:
            lines = file.readlines()
        page = os.path.join(self.folder, "t.html")
        self.check(ptcc("trace", "-", "--html", page, stdin="".join(lines[:4])), 0, "", "")
        with open(page, encoding="utf-8") as file:
            text = file.read()
        page = text.split("<body>")[1]
        self.assertEqual((page.count("<details"), page.count("<section")), (page.count("</details>"), page.count("</section>")))
        self.assertIn("The trace ends before the mission does", page)

    def test_a_page_shows_what_turns_text_around(self):
        self.traced(replies=['(return "a\u202eb\u2066c\u0007d")'])
        page = os.path.join(self.folder, "t.html")
        self.check(ptcc("trace", os.path.join(self.folder, "t.jsonl"), "--html", page), 0, "", "")
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("a\ufffdb\ufffdc", text)
        for hidden in "\u202e\u2066\u0007":
            self.assertNotIn(hidden, text)

    def test_times_of_a_page_written_by_hand(self):
        lines = [{"event": "mission_start", "run": 1, "agent": "a", "signature": "", "prompt": ""},
                 {"event": "llm_reply", "run": 1, "turn": 1, "text": "", "duration_us": -(2 ** 63)},
                 {"event": "tool_start", "run": 1, "tool": "t", "arguments": {}},
                 {"event": "tool_call", "run": 1, "tool": "t", "arguments": {}, "ok": True, "duration_us": 2 ** 63 - 1}]
        page = os.path.join(self.folder, "t.html")
        for time_of_day in (None, "2026-01-01T00:00:00.000Z", "9999-12-31T23:59:59Z", "-9999-01-01T00:00:00Z", "noon"):
            text = "\n".join(json.dumps({"time": time_of_day, **line}) for line in lines)
            self.check(ptcc("trace", "-", "--html", page, stdin=text + "\n"), 0, "", "")

    def test_text_cannot_act_on_the_terminal(self):
        self.traced(replies=['(return "\x1b[2J")'])
        self.assertNotIn("\x1b", ptcc("trace", os.path.join(self.folder, "t.jsonl")).stdout)

    def test_deep_traces_written_by_hand(self):
        lines = [json.dumps({"event": "mission_start", "run": n, "parent": n - 1, "agent": "a", "signature": "", "prompt": ""}) for n in range(1, 20000)]
        done = ptcc("trace", "-", "--brief", stdin="\n".join(lines) + "\n")
        self.check(done, 0, err="")
        self.assertLess(len(done.stdout), 400 * len(lines))
        page = os.path.join(self.folder, "t.html")
        self.check(ptcc("trace", "-", "--html", page, stdin="\n".join(lines) + "\n"), 0, "", "")
        self.assertLess(os.path.getsize(page), 1000 * len(lines))

    def test_a_trace_that_cannot_be_written_exits_2(self):
        done = self.agent("--prompt", "x", "--trace", "/dev/full", replies=["(return 1)"])
        self.check(done, 2, err="Cannot write the trace")


class Signals(Agents):
    """SIGINT and SIGTERM end a mission as `interrupted`."""

    def start(self, *arguments):
        self.pid = os.path.join(self.folder, "pid")
        hang = f"open({self.pid!r}, 'w').write(str(os.getpid())); __import__('signal').pause()"
        path = os.path.join(self.folder, "t.jsonl")
        process = subprocess.Popen([ptcc_test.PTCC, "agent", "--prompt", "x", "--trace", path, "--timeout-ms", "1000000000", "--mission-timeout-ms",
                                    "1000000000", *[a.replace("HANG", "cmd:exec " + self.program("hang.py", hang)) for a in arguments]],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_until(lambda: os.path.exists(self.pid) and os.path.getsize(self.pid) > 0, "the program that hangs")
        return process

    def interrupted(self, process, number):
        process.send_signal(number)
        out, err = process.communicate(timeout=SECONDS)
        self.assertEqual((process.returncode, out), (-number, ""), err)
        self.assertIn("interrupted", err)
        self.assertEqual((self.trace()[-1]["event"], self.trace()[-1]["reason"]), ("mission_stop", "interrupted"))
        with open(self.pid, encoding="utf-8") as pid:
            self.assertFalse(is_alive(int(pid.read())))
        os.remove(self.pid)

    def test_while_a_model_is_asked(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            self.interrupted(self.start("--llm", "HANG"), number)

    def test_while_a_tool_works(self):
        hang = f"open({os.path.join(self.folder, 'pid')!r}, 'w').write(str(os.getpid())); __import__('signal').pause()"
        tools = self.tools(hang={"cmd": "exec " + self.program("tool.py", hang)})
        replies = self.file("replies.jsonl", script("(pmap #(tool/hang {:n %}) [1 2])", "(return 1)"))
        self.interrupted(self.start("--tools", tools, "--llm", "script:" + replies), signal.SIGINT)

    def test_while_a_program_computes(self):
        path = os.path.join(self.folder, "t.jsonl")
        replies = self.file("replies.jsonl", script("(loop [i 0] (recur (inc i)))", "(return 1)"))
        process = subprocess.Popen([ptcc_test.PTCC, "agent", "--prompt", "x", "--trace", path, "--llm", "script:" + replies, "--timeout-ms",
                                    "1000000000", "--mission-timeout-ms", "1000000000", "--fuel", "1000000000000000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_until(lambda: os.path.exists(path) and "program_start" in open(path, encoding="utf-8").read(), "the program")
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=SECONDS)
        self.assertEqual(process.returncode, -signal.SIGTERM, err)
        self.assertEqual(self.trace()[-1]["reason"], "interrupted")

    def test_while_a_provider_is_asked(self):
        silent = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler, bind_and_activate=True)
        self.addCleanup(silent.server_close)
        path = os.path.join(self.folder, "t.jsonl")
        environment = {"OPENAI_API_KEY": "k" * 20, "OPENAI_BASE_URL": f"http://127.0.0.1:{silent.server_port}/v1"}
        process = subprocess.Popen([ptcc_test.PTCC, "agent", "--prompt", "x", "--trace", path, "--llm", "openai:m", "--mission-timeout-ms", "1000000000"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
        caller, _ = silent.socket.accept()
        self.addCleanup(caller.close)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=SECONDS)
        self.assertEqual(process.returncode, -signal.SIGINT, err)
        self.assertEqual(self.trace()[-1]["reason"], "interrupted")

    def test_a_checkpointed_mission_goes_on_afterwards(self):
        db = os.path.join(self.folder, "mission.db")
        self.interrupted(self.start("--llm", "HANG", "--checkpoint", db), signal.SIGTERM)
        replies = self.file("replies.jsonl", script("(return 5)"))
        self.check(ptcc("agent", "--resume", db, "--llm", "script:" + replies), 0, "5\n", "")


class Approval(Agents):
    """Answers come through a pipe here, as from a terminal."""

    PROGRAM = "(def ids [1 2])\n(return (mapv (fn [i] (tool/pay {:n i})) ids))"

    def setUp(self):
        super().setUp()
        self.log = os.path.join(self.folder, "paid")
        pay = {"signature": "(n :int) -> :int", "description": "Pays.", "approval": True,
               "cmd": "exec " + self.program("pay.py", "open(%r, 'a').write('x')\na['result'] = 10 * r['arguments']['n']" % self.log)}
        self.arguments = ("--prompt", "Pay.", "--tools", self.tools(pay=pay))

    def paid(self):
        return os.path.getsize(self.log) if os.path.exists(self.log) else 0

    def test_yes_and_other_arguments(self):
        done = self.agent(*self.arguments, "--approve", "ask", replies=[self.PROGRAM], stdin='what?\nYes\n{"n": "x"}\n{"n": 7}\n')
        self.assertEqual((done.returncode, done.stdout), (0, "[10,70]\n"), done.stderr)
        self.assertIn('tool/pay {"n":1}\n  (agent agent, turn 1, line 2, column 23) waits for approval.\n  Pays.\nApprove? y, n', done.stderr)
        self.assertIn('  done: tool/pay {"n":1} -> 10\n', done.stderr)
        self.assertIn("The changed arguments do not fit.", done.stderr)

    def test_whoever_approves_sees_marks_that_would_change_what_is_read(self):
        pay = {"signature": "(to :string) -> :int", "approval": True, "do": {"return": 1}}
        program = '(return (tool/pay {:to "Ann\u202exe.bob\u2066\u0007\u009b\u061c"}))'
        done = self.agent("--prompt", "Pay.", "--tools", self.tools(pay=pay), "--approve", "ask", replies=[program], stdin="p\ny\n")
        self.assertEqual((done.returncode, done.stdout), (0, "1\n"), done.stderr)
        self.assertIn(r'tool/pay {"to":"Ann\u202exe.bob\u2066\u0007\u009b\u061c"}', done.stderr)
        self.assertIn(r'(return (tool/pay {:to "Ann\u202exe.bob\u2066\u0007\u009b\u061c"}))', done.stderr)  # the program
        for mark in "\u202e\u2066\u0007\u009b\u061c\ufffd":
            self.assertNotIn(mark, done.stderr)

    def test_no_is_told_to_the_model(self):
        done = self.agent(*self.arguments, "--approve", "ask", "--trace", self.folder + "/t.jsonl",
                          replies=[self.PROGRAM, "(return 0)"], stdin="No, too \x1b[31m\u202e\u009bmuch\n")
        self.assertEqual((done.returncode, done.stdout, self.paid()), (0, "0\n", 0), done.stderr)
        answer = next(e for e in self.trace() if e["event"] == "approval_answer")
        self.assertEqual((answer["ok"], answer["reason"]), (False, "approval_denied"))
        text = ptcc("trace", self.folder + "/t.jsonl").stdout
        self.assertIn('? tool/pay {"n":1} (line 2, column 23) waits for approval\n', text)
        self.assertIn("! not approved: too ", text)
        for control in "\x1b\u202e\u009b":
            self.assertNotIn(control, text)
        page = self.folder + "/page.html"
        self.check(ptcc("trace", self.folder + "/t.jsonl", "--html", page), 0, "", "")
        with open(page, encoding="utf-8") as file:
            self.assertIn("(line 2, column 23) waits for approval.", file.read())

    def test_without_a_terminal_nothing_is_approved(self):
        for mode, result, paid in ((), "0\n", 0), (("--approve", "never"), "0\n", 0), (("--approve", "always"), "[10,20]\n", 2):
            self.check(self.agent(*self.arguments, *mode, replies=[self.PROGRAM, "(return 0)"], stdin="y\ny\n"), 0, result, "")
            self.assertEqual(self.paid(), paid)

    def test_a_checkpoint_waits(self):
        db = os.path.join(self.folder, "m.db")
        done = self.agent(*self.arguments, "--approve", "ask", "--checkpoint", db, replies=[self.PROGRAM], stdin="y\nlater\n")
        self.assertEqual((done.returncode, self.paid()), (1, 1), done.stderr)
        self.assertIn("approval_pending", done.stderr)
        done = ptcc("agent", "--resume", db, "--approve", "ask", stdin="")
        self.assertEqual((done.returncode, self.paid()), (1, 1), done.stderr)
        done = ptcc("agent", "--resume", db, "--approve", "ask", "--trace", self.folder + "/t.jsonl", stdin="y\n")
        self.assertEqual((done.returncode, done.stdout, self.paid()), (0, "[10,20]\n", 2), done.stderr)
        shown = ptcc("trace", self.folder + "/t.jsonl")  # it begins in the middle of the mission
        self.check(shown, 0, err="")
        self.assertTrue(shown.stdout.startswith("  approved\n"), shown.stdout)
        self.assertIn("returned [10 20]", shown.stdout)
        self.check(ptcc("trace", self.folder + "/t.jsonl", "--html", self.folder + "/page.html"), 0, "", "")

    def test_what_a_guard_asks_about_waits_in_a_checkpoint(self):
        agent = self.file("agent.json", json.dumps({"prompt": "x", "guards": [
            {"name": "eyes", "at": ["before_program", "result"], "program": '{:ask "Is it fine?"}'}]}))
        db, path = os.path.join(self.folder, "m.db"), self.folder + "/t.jsonl"
        done = self.agent("--agent", agent, "--approve", "ask", "--checkpoint", db, replies=["(return 1)"], stdin="y\nlater\n")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn('before_program {"value":"(return 1)"}\n  (agent agent, turn 1) waits for approval.\n  The guard `eyes` asks: Is it fine?\n', done.stderr)
        self.assertIn('result {"value":1}\n', done.stderr)
        self.assertIn("approval_pending", done.stderr)
        done = ptcc("agent", "--resume", db, "--approve", "ask", stdin='{"value": 2}\n')
        self.assertEqual((done.returncode, done.stdout), (0, "2\n"), done.stderr)
        done = self.agent("--agent", agent, "--approve", "ask", "--trace", path, replies=["(return 1)", "(return 3)"], stdin="y\nn too small\ny\ny\n")
        self.assertEqual((done.returncode, done.stdout), (0, "3\n"), done.stderr)
        text = ptcc("trace", path).stdout
        self.assertIn('? result {"value":1} waits for approval\n', text)
        self.assertIn("! not approved: too small", text)
        page = self.folder + "/page.html"
        self.check(ptcc("trace", path, "--html", page), 0, "", "")
        with open(page, encoding="utf-8") as file:
            self.assertIn("<b>before_program</b>", file.read())

    def test_a_recording_is_repeated_without_anybody(self):
        path = os.path.join(self.folder, "m.rec")
        done = self.agent(*self.arguments, "--approve", "ask", "--record", path, replies=[self.PROGRAM], stdin='y\n{"n":3}\n')
        self.assertEqual((done.returncode, done.stdout), (0, "[10,30]\n"), done.stderr)
        self.check(ptcc("agent", "--replay", path), 0, "[10,30]\n", "")
        self.assertEqual(self.paid(), 2)


class Journal(Agents):
    """What tasks came to, from one mission to the next."""

    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.folder, "journal.json")
        self.log = os.path.join(self.folder, "log")
        pay = {"signature": "(n :int) -> :map", "cmd": "exec " + self.program("pay.py", f'if r["arguments"]["n"] == 0 and not open({self.log!r}).read().endswith("0"): open({self.log!r}, "a").write("0"); os.kill(os.getppid(), 9); os._exit(1)\nopen({self.log!r}, "a").write("x")\na["result"] = {{"paid": r["arguments"]["n"]}}')}
        self.arguments = ["--prompt", "Pay.", "--tools", self.tools(pay=pay), "--journal", self.path]

    def test_a_task_is_done_once_in_two_missions(self):
        first = self.agent(*self.arguments, replies=['(task "pay-7" (tool/pay {:n 7})) (/ 1 0)', '(fail {:reason :later :message "wait"})'])
        self.check(first, 1, "", "later: wait")
        with open(self.path, encoding="utf-8") as file:
            self.assertEqual(json.load(file), {"pay-7": {"paid": 7}})
        self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o600)
        with open(self.path, "w", encoding="utf-8") as file: # as a person would
            json.dump({"pay-7": {"paid": 7}, "agreed": True}, file)
        record = os.path.join(self.folder, "mission.rec")
        second = self.agent(*self.arguments, "--step", "--record", record, replies=['(return [(task "pay-7" (tool/pay {:n 7})) (task "agreed" false)])'])
        step = json.loads(second.stdout)
        self.assertEqual((step["return"], step["tasks"]), ([{"paid": 7}, True], {"agreed": True, "pay-7": {"paid": 7}}))
        with open(self.log, encoding="utf-8") as calls:
            self.assertEqual(calls.read(), "x")
        self.check(ptcc("agent", "--replay", record), 0, '[{"paid":7},true]\n', "")

    def test_a_killed_mission_keeps_its_journal(self):
        database = os.path.join(self.folder, "mission.db")
        replies = ['(task "pay-7" (tool/pay {:n 7}))', "(tool/pay {:n 0})", '(return (task "pay-7" (tool/pay {:n 7})))']
        self.assertEqual(self.agent(*self.arguments, "--checkpoint", database, replies=replies).returncode, -signal.SIGKILL)
        with open(self.path, encoding="utf-8") as file:
            self.assertEqual(json.load(file), {"pay-7": {"paid": 7}})
        self.check(ptcc("agent", "--resume", database), 0, '{"paid":7}\n')
        with open(self.path, encoding="utf-8") as file:
            self.assertEqual(json.load(file), {"pay-7": {"paid": 7}})
        with open(self.log, encoding="utf-8") as calls:
            self.assertEqual(calls.read(), "x0x") # 7, and 0 in two processes

    def test_what_was_done_before_a_crash_is_not_done_again(self):
        replies = ['(task "pay-7" (tool/pay {:n 7})) (pmap (fn [n] (task (str "pay-" n) (tool/pay {:n n}))) [8 9])', '(tool/pay {:n 0})', "(return 1)"]
        self.assertEqual(self.agent(*self.arguments, replies=replies).returncode, -signal.SIGKILL)
        self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o600)
        replies = ['(return (mapv (fn [n] (:paid (task (str "pay-" n) (tool/pay {:n n})))) [7 8 9]))']
        self.check(self.agent(*self.arguments, replies=replies), 0, "[7,8,9]\n", "")
        with open(self.log, encoding="utf-8") as calls:
            self.assertEqual(calls.read(), "xxx0")

    def test_a_new_task_is_one_more_line_of_the_same_file(self):
        look = self.program("look.py", f'stat = os.stat({self.path!r})\na["result"] = [stat.st_ino, json.load(open({self.path!r})).get("t%d" % r["arguments"]["n"], -1), stat.st_mode & 0o777]')
        tools = self.tools(look={"signature": "(n :int) -> [:int]", "cmd": "exec " + look})
        program = '(let [seen (mapv (fn [n] (task (str "t" n) n) (tool/look {:n n})) (range 5))] (return [(count (distinct (map first seen))) (map rest seen) (task "t4" 7)]))'
        done = self.agent("--prompt", "x", "--tools", tools, "--journal", self.path, replies=[program])
        self.check(done, 0, f"[1,{json.dumps([[n, 0o600] for n in range(5)], separators=(',', ':'))},4]\n", "")
        with open(self.path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "{\n " + ",\n ".join(f'"t{n}": {n}' for n in range(5)) + "\n}\n")

    def test_steps_are_lines_until_the_mission_ends(self):
        look = self.program("look.py", f'a["result"] = sorted(json.load(open({self.path!r})))')
        tools = self.tools(look={"signature": "() -> [:string]", "cmd": "exec " + look})
        replies = ['(step-done "1" "one")', '(step-done "2" "two") (step-done "3" "three")', "(return (tool/look))"]
        self.check(self.agent("--prompt", "x", "--tools", tools, "--journal", self.path, replies=replies), 0, '["$step 2","$step 3","$steps"]\n', "")
        with open(self.path, encoding="utf-8") as file:
            self.assertEqual(json.load(file), {"$steps": {"1": "one", "2": "two", "3": "three"}})
        with open(self.path, "w", encoding="utf-8") as file: # of a mission that was killed
            file.write('{\n "$steps": {"1": "one"},\n "$step 2": "two"\n}\n')
        step = json.loads(self.agent("--prompt", "x", "--journal", self.path, "--step", replies=["(return 1)"]).stdout)
        self.assertEqual((step["done_steps"], step["tasks"]), ({"1": "one", "2": "two"}, {}))

    def test_a_line_that_was_not_written_to_its_end_is_no_task(self):
        whole = '{\n "a": {"x": [1,2]},\n "b": 3,\n "c": {"n": 12345}\n}\n'
        before = whole.index(',\n "c"')
        # Torn at each byte; and with the end of the old line, or zeros, where the new one did not come to the disk.
        texts = [whole[:end] for end in range(before + 3, len(whole) - 3)]
        texts += [whole[:before] + ",}\n", whole[:before] + ",\n\n", whole[:before + 9] + "\0" * 9, whole[:before] + "\n}\n" + "\0" * 20, whole[:before] + "\n" + whole[before + 1:]]
        for text in texts[::7] + texts[-5:]:
            with open(self.path, "w", encoding="utf-8") as file:
                file.write(text)
            done = self.agent("--prompt", "x", "--journal", self.path, replies=['(return [(task "a" 0) (task "b" 0) (task "c" 7)])'])
            self.check(done, 0, '[{"x":[1,2]},3,%s]\n' % ('{"n":12345}' if "12345}\n}" in text else "7"), "")
            with open(self.path, encoding="utf-8") as file:
                self.assertEqual(sorted(json.load(file)), ["a", "b", "c"])

    def test_values_are_the_same_in_the_next_mission(self):
        value = '{:state :paid :tags #{:a "b"} :by {1 :one} :day (LocalDate/parse "2026-01-02")}'
        replies = ['(return (let [t (task "t" %s)] (task "$x" [1.5 nil]) [(= t %s) (case (:state t) :paid "paid" "other") (contains? (:tags t) :a) (get (:by t) 1) (task "$x" 0)]))' % (value, value)]
        for _ in range(2):
            self.check(self.agent(*self.arguments, replies=replies), 0, '[true,"paid",true,"one",[1.5,null]]\n', "")
            replies[0] = replies[0].replace(value, "0", 1) # it is there
        with open(self.path, encoding="utf-8") as file:
            kept = json.load(file)
        self.assertEqual(kept["$$x"], [1.5, None])
        self.assertIn([{"$kw": "state"}, {"$kw": "paid"}], kept["t"]["$map"])
        self.assertIn([{"$kw": "day"}, {"$opaque": ["date", "2026-01-02"]}], kept["t"]["$map"])
        with open(self.path, "w", encoding="utf-8") as file: # what nobody but a person writes is as it stands there
            json.dump({"t": {"$ref": 1}, "$x": {"$kw": "k"}}, file)
        self.check(self.agent(*self.arguments, replies=['(return [(task "t" 0) (= :k (task "$x" 0))])']), 0, '[{"$ref":1},true]\n', "")

    def test_two_missions_do_not_have_the_same_file(self):
        gate = Gate(self)
        slow = self.program("slow.py", f'{gate.stop}\na["result"] = 1')
        tools = self.file("slow.json", json.dumps({"slow": {"signature": "() -> :int", "cmd": "exec " + slow}}))
        arguments = ["agent", "--prompt", "x", "--tools", tools, "--journal", self.path, "--llm", "script:" + self.file("slow.jsonl", script('(return (task "a" (tool/slow)))'))]
        first = subprocess.Popen([ptcc_test.PTCC, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            gate.wait_for(1)
            self.check(ptcc(*arguments), 2, "", "is that of a mission under way in another process")
        finally:
            gate.open()
            out, _ = first.communicate(timeout=SECONDS)
        self.assertEqual((first.returncode, out), (0, "1\n"))
        self.check(ptcc(*arguments), 0, "1\n", "")
        self.assertEqual(gate.arrived, 1)

    def test_a_file_that_cannot_be_written_ends_the_mission(self):
        block = self.program("block.py", f'os.mkdir({self.path!r})\na["result"] = 1')
        pay = self.program("note.py", f'open({self.log!r}, "a").write("x")\na["result"] = 1')
        tools = {"block": {"signature": "() -> :int", "cmd": "exec " + block}, "pay": {"signature": "() -> :int", "cmd": "exec " + pay}}
        arguments = ["--prompt", "x", "--tools", self.tools(**tools), "--journal", self.path]
        done = self.agent(*arguments, replies=['(task "a" (tool/block)) (tool/pay)', "(return (tool/pay))"])
        self.check(done, 2, "", "ptcc: The journal is not written. " + self.path)
        self.assertIn("interrupted: ", done.stderr)
        self.assertFalse(os.path.exists(self.log)) # what comes behind it could not be kept

    def test_steps_of_the_plan_stay_done(self):
        agent = self.file("agent.json", json.dumps({"prompt": "x", "plan": [["1", "Fetch rows"], ["2", "Send mail"]]}))
        arguments = ["--agent", agent, "--journal", self.path, "--step", "--trace", os.path.join(self.folder, "t.jsonl")]
        self.assertEqual(json.loads(self.agent(*arguments, replies=['(step-done "1" "3 rows") (return 1)']).stdout)["done_steps"], {"1": "3 rows"})
        with open(self.path, encoding="utf-8") as file:
            self.assertEqual(json.load(file), {"$steps": {"1": "3 rows"}})
        record = os.path.join(self.folder, "mission.rec")
        done = self.agent(*arguments, "--record", record, replies=['(step-done "2" "sent")', "(return 1)"])
        self.assertEqual(json.loads(done.stdout)["done_steps"], {"1": "3 rows", "2": "sent"})
        self.assertIn("- [x] 1: Fetch rows - 3 rows", json.dumps(self.trace()))
        self.check(ptcc("agent", "--replay", record), 0, "1\n", "")

    def test_files_that_are_no_journal(self):
        for text in ("[1]", "{", ""):
            with open(self.path, "w", encoding="utf-8") as file:
                file.write(text)
            self.check(self.agent(*self.arguments, replies=["(return 1)"]), 2, "", "is no journal: it must be a JSON object.")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write('{"$steps":{"1":2}}')
        self.check(self.agent(*self.arguments, replies=["(return 1)"]), 2, "", "is no journal: `$steps` must be an object of texts.")

    def test_a_plan_of_a_file(self):
        for plan in (["Fetch rows", "Send mail"], [["1", "Fetch rows"], ["2", "Send mail"]], [{"id": "1", "text": "Fetch rows"}, {"id": "2", "text": "Send mail"}]):
            agent = self.file("agent.json", json.dumps({"prompt": "x", "plan": plan}))
            done = self.agent("--agent", agent, "--step", "--trace", os.path.join(self.folder, "t.jsonl"), replies=['(step-done "1" "3 rows")', "(return 1)"])
            self.assertEqual(json.loads(done.stdout)["done_steps"], {"1": "3 rows"})
            self.assertIn("[x] 1: Fetch rows - 3 rows", json.dumps(self.trace()))
        for plan in ("x", [1], [["a"]], [{"id": "a"}]):
            agent = self.file("agent.json", json.dumps({"prompt": "x", "plan": plan}))
            self.check(self.agent("--agent", agent, replies=["(return 1)"]), 2, "", "`plan` must be a list of texts")


class Checkpoint(Agents):
    """A tool that works once for each key, and ends the first process that calls it in the middle of its work."""
    TOOL = """log = %r
done = open(log).read().split() if os.path.exists(log) else []
if r["key"] not in done:
    with open(log, "a") as out: out.write(r["key"] + "\\n")
    if len(done) == %d: os.kill(os.getppid(), 9); os._exit(1)
a["result"] = {"paid": r["arguments"]["n"]}"""

    def setUp(self):
        super().setUp()
        self.db = os.path.join(self.folder, "mission.db")
        self.log = os.path.join(self.folder, "log")

    def begin(self, at):
        pay = {"signature": "(n :int) -> :map", "cmd": "exec " + self.program("pay.py", self.TOOL % (self.log, at))}
        replies = ["(def paid (mapv (fn [n] (tool/pay {:n n})) [1 2 3]))", "(return (map :paid paid))"]
        return self.agent("--prompt", "Pay.", "--tools", self.tools(pay=pay), "--checkpoint", self.db, replies=replies)

    def keys(self):
        with open(self.log, encoding="utf-8") as lines:
            return lines.read().split()

    def test_a_killed_mission_goes_on_and_its_tools_work_once(self):
        for at in range(3):
            with self.subTest(at=at):
                for name in os.listdir(self.folder):
                    os.remove(os.path.join(self.folder, name))
                self.assertEqual(self.begin(at).returncode, -signal.SIGKILL)
                self.check(ptcc("agent", "--resume", self.db), 0, "[1,2,3]\n", "")
                self.assertEqual(len(self.keys()), 3)
                self.assertEqual(len(set(self.keys())), 3)

    def test_a_finished_one_tells_its_result_again(self):
        self.check(self.begin(99), 0, "[1,2,3]\n", "")
        for again in (["--resume", self.db], ["--resume", self.db, "--mission", "mission"]):
            self.check(ptcc("agent", *again), 0, "[1,2,3]\n", "")
        self.assertEqual(len(self.keys()), 3)

    def test_one_whose_model_could_not_be_called_goes_on_with_the_same_data(self):
        rows = self.file("rows.json", "[1,2,3]")
        refused = [{"error": {"http": 503}}] * 3
        done = self.agent("--prompt", "x", "--data", "rows=" + rows, "--checkpoint", self.db, replies=["(def n (count data/rows))", *refused])
        self.check(done, 1, "", "could not be called, 3 attempts")
        # Of a script goes on what comes behind the answers that are there: a reply and two errors.
        better = "script:" + self.file("better.jsonl", script("never", "never", "never", "(return (+ n (count data/rows)))"))
        self.file("rows.json", "[1,2]")
        self.check(ptcc("agent", "--resume", self.db, "--llm", better), 2, "", "data/rows is different")
        elsewhere = self.file("elsewhere.json", "[1, 2, 3]")
        self.check(ptcc("agent", "--resume", self.db, "--llm", better, "--data", "rows=" + elsewhere), 0, "6\n", "")
        os.remove(rows)
        self.check(ptcc("agent", "--resume", self.db), 0, "6\n", "")

    def test_a_recording_may_be_made_beside_it(self):
        record = os.path.join(self.folder, "mission.rec")
        replies = self.file("replies.jsonl", script("(def paid (mapv (fn [n] (tool/pay {:n n})) [1 2 3]))", "(return (map :paid paid))"))
        pay = {"signature": "(n :int) -> :map", "cmd": "exec " + self.program("pay.py", self.TOOL % (self.log, 99))}
        begin = ["--prompt", "Pay.", "--tools", self.tools(pay=pay), "--llm", "script:" + replies]
        both = ["--checkpoint", self.db, "--record", record]
        self.check(ptcc("agent", *begin, *both), 0, "[1,2,3]\n", "")
        self.assertEqual(len(self.keys()), 3)
        self.check(ptcc("agent", "--replay", record), 0, "[1,2,3]\n", "")
        self.check(ptcc("agent", "--resume", self.db), 0, "[1,2,3]\n", "")
        self.assertEqual(len(self.keys()), 3)
        self.check(ptcc("agent", *begin, *both), 2, "", "was begun before")

    def test_a_killed_one_that_was_recorded_goes_on(self):
        pay = {"signature": "(n :int) -> :map", "cmd": "exec " + self.program("pay.py", self.TOOL % (self.log, 1))}
        replies = ["(def paid (mapv (fn [n] (tool/pay {:n n})) [1 2 3]))", "(return (map :paid paid))"]
        done = self.agent("--prompt", "Pay.", "--tools", self.tools(pay=pay), "--checkpoint", self.db, "--record",
                          os.path.join(self.folder, "mission.rec"), replies=replies)
        self.assertEqual(done.returncode, -signal.SIGKILL)
        self.check(ptcc("agent", "--resume", self.db), 0, "[1,2,3]\n", "")
        self.assertEqual(len(set(self.keys())), 3)

    def test_what_cannot_be_resumed_exits_2(self):
        text = self.file("text.db", "no database" * 100)
        self.check(ptcc("agent", "--resume", os.path.join(self.folder, "none.db")), 2, "", "none.db")
        self.check(ptcc("agent", "--resume", text), 2, "", "text.db")
        self.begin(99)
        self.check(ptcc("agent", "--resume", self.db, "--mission", "other"), 2, "", "has no mission `other`")
        self.check(ptcc("agent", "--resume", self.db, "--checkpoint", self.db), 2, "", "excludes")


class Verbose(Agents):
    def test_programs_calls_and_results_on_standard_error(self):
        tools = self.tools(add={"signature": "(x :int) -> :int", "do": {"return": 3}})
        done = self.agent("--prompt", "x", "--verbose", "--tools", tools, replies=["(return (+ 1 (tool/add {:x 1})))"])
        self.check(done, 0, "4\n")
        for part in ("(return (+ 1 (tool/add {:x 1})))", 'tool/add {"x":1}', "-> 3", "=> 4", "returned 4", "1 turn, 1 model call, 1 tool call"):
            self.assertIn(part, done.stderr)


def read_all(terminal):
    """What was written to the other end, which is closed: it arrives in pieces, and Linux says EIO at the end."""
    text = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            return text
        if not piece:
            return text
        text += piece


class Progress(Agents):
    def test_a_terminal_shows_what_takes_time(self):
        ours, theirs = pty.openpty()
        arguments = ptcc_test.patient("agent", "--prompt", "x", "--llm", "script:" + self.file("r", script("(+ 1", "(return 5)")))
        done = subprocess.run([ptcc_test.PTCC, *arguments],
                              stdout=subprocess.PIPE, stderr=theirs, timeout=SECONDS, check=True, env={**os.environ, "NO_COLOR": "1"})
        os.close(theirs)
        shown = read_all(ours).decode().replace("\r\n", "\n").splitlines()
        os.close(ours)
        self.assertEqual(done.stdout, b"5\n")
        for part in ("turn 1: the model is asked", "  => 5", "returned"):
            self.assertIn(part, shown)
        self.assertNotIn("(return 5)", "\n".join(shown))


class Readme(Agents):
    def test_the_first_mission_is_true(self):
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
            section = file.read().split("## A first mission\n")[1].split("\n## ")[0]
        commands = section.split("```sh\n")[1].split("\n```")[0]
        data = os.path.join(self.folder, "build", "demo-data")
        subprocess.run([sys.executable, os.path.join(root, "tools", "gen_demo_data.py"), data], check=True, capture_output=True, timeout=SECONDS)
        done = subprocess.run(commands.replace("build/release/bin/ptcc", ptcc_test.PTCC), shell=True, cwd=self.folder, check=True,
                              capture_output=True, timeout=SECONDS, text=True)
        answer, *tree = done.stdout.splitlines()
        self.assertIn(f"prints `{answer}`", section)
        self.assertEqual(sum(line.startswith("turn ") for line in tree), 2)

    def test_real_models_are_asked_as_it_says(self):
        """Each line, but against a server of our own."""
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
            section = file.read().split("## A real model\n")[1].split("\n## ")[0]
        block = section.split("```sh\n")[1].split("\n```")[0]
        function, lines = block.split("\n\n", 1)
        orders = os.path.join(self.folder, "orders.json")
        with open(orders, "w", encoding="utf-8") as file:
            file.write('[{"status": "paid"}]')
        function = function.replace("build/release/bin/ptcc", ptcc_test.PTCC).replace("build/demo-data/orders.json", orders)
        lines = [line.split("#")[0].replace("ollama pull qwen3 && ", "") for line in lines.splitlines() if line]
        self.assertEqual(len(lines), 7)
        with ModelServer() as server:
            address = f"http://127.0.0.1:{server.port}"
            env = {name: value for name, value in os.environ.items() if not name.lower().endswith(("_proxy", "_api_key"))}
            for name, path in (("OPENAI", "/v1"), ("ANTHROPIC", ""), ("GOOGLE_GEMINI", ""), ("OPENROUTER", "/v1"), ("OLLAMA", "/v1")):
                env[name + "_BASE_URL"] = address + path
            for line in lines:
                with self.subTest(line):
                    line = re.sub("http://[^/]*", address, line)
                    done = subprocess.run(function + "\n" + line, shell=True, env=env, capture_output=True, timeout=SECONDS, text=True)
                    self.assertEqual(done.stdout, '{"orders":1,"status":"paid"}\n', done.stderr)
                    self.assertIn("(return", done.stderr)
                    self.assertEqual(server.models.pop(), line.split("--llm ")[1].split(":", 1)[1].strip())


class ModelServer(http.server.ThreadingHTTPServer):
    """A model of any provider, on this machine; it gives one reply."""
    TEXT = "```clojure\n(return {:status (:status (first data/orders)) :orders (count data/orders)})\n```"

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = ModelServer.TEXT
            if self.path == "/v1/chat/completions":
                reply = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
            elif self.path == "/v1/messages":
                reply = {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}
            else:
                reply = {"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]}
            self.server.models.append(body.get("model") or self.path.split("/")[-1].split(":")[0])
            data = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.port, self.models = self.server_address[1], []

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


if __name__ == "__main__":
    ptcc_test.PTCC = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
