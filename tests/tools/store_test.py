#!/usr/bin/env python3
"""Missions in a store, and the workers that carry them: store_test.py PTCC [unittest's arguments]."""
import contextlib
import http.client
import http.server
import json
import os
import pwd
import re
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import unittest

import ptcc_test
from agent_test import Agents, fenced, script
from ptcc_test import SECONDS, ptcc
from waiting import Gate, wait_until

# Does each thing once, by its key; the table is the outside world.
PAY = """import sqlite3
if 'db' not in globals():
    db = sqlite3.connect(%r, timeout=200, isolation_level=None)
    db.execute('CREATE TABLE IF NOT EXISTS effect (key TEXT PRIMARY KEY, n INTEGER)')
db.execute('INSERT OR IGNORE INTO effect VALUES (?, ?)', (r['key'], r['arguments']['n']))
a['result'] = 10 * r['arguments']['n']"""


class Stored(Agents):
    """A store in a file of the test's folder."""

    def setUp(self):
        super().setUp()
        self.store = "sqlite:" + os.path.join(self.folder, "missions.db")
        self.at = ("--store", self.store)

    def agent_file(self, name="agent", **row):
        """An agent's file; `replies` are those of its model."""
        if "replies" in row:
            row["llm"] = [fenced(reply) if isinstance(reply, str) else reply for reply in row.pop("replies")]
        return self.file(name + ".json", json.dumps({"mission_timeout": 480000, "timeout": 240000, **row}))

    def submit(self, agent, *arguments, context=None, **options):
        more = () if context is None else ("--context", json.dumps(context))
        done = ptcc("submit", *self.at, "--agent", agent, *more, *arguments, **options)
        self.check(done, 0, err="")
        return done.stdout.strip()

    def sql(self, text):
        """As whoever has the database."""
        with contextlib.closing(sqlite3.connect(self.store.removeprefix("sqlite:"), isolation_level=None)) as database:
            database.execute(text)

    def missions(self, *arguments):
        done = ptcc("missions", *self.at, "--json", *arguments)
        self.check(done, 0, err="")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def mission(self, name):
        return next(m for m in self.missions() if m["id"] == name)

    def status(self):
        return {m["id"]: m["status"] for m in self.missions()}

    def work(self, *arguments, **options):
        """A worker, until nothing is left."""
        done = ptcc("worker", *self.at, "--until-empty", *arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stderr.splitlines()]

    def worker(self, *arguments, **options):
        """A worker that goes on until the test ends it."""
        process = subprocess.Popen([ptcc_test.PTCC, "worker", *self.at, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   **options)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in filter(None, (process.stdout, process.stderr)): # a model that is stopped at a gate may have them, too
            pipe.close()

    def results(self):
        return {m["id"]: m.get("result", m.get("error")) for m in self.missions()}


class OnPostgres(unittest.TestCase):
    """In front of a class of tests: its store is on a server of the tests' own."""
    schema = "missions"

    def setUp(self):
        super().setUp()
        program = os.path.join(os.path.dirname(ptcc_test.PTCC), "serve_postgres")
        self.server = subprocess.Popen([program, self.schema], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.server.communicate)
        self.store = self.server.stdout.readline().strip()
        if not self.store:
            self.skipTest(self.server.stderr.read())
        self.at = ("--store", self.store)
        self.server_folder = re.search(r"host=([^&]*)", self.store)[1]

    def sql(self, text):
        """As whoever has the database: rows of texts, by the client that comes with the server."""
        done = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-d", self.store, "-c", text], capture_output=True,
                              text=True, timeout=SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.split("\t") for line in done.stdout.splitlines()]


class Submit(Stored):
    def test_from_a_file_to_a_result(self):
        agent = self.agent_file(prompt="Add to {{n}}.", signature="(n :int) -> {sum :int}", replies=["(def one 1)", "(return {:sum (+ data/n one)})"])
        self.assertEqual(self.submit(agent, "--id", "a", context={"n": 20}), "a")
        self.assertEqual(self.status(), {"a": "ready"})
        self.work()
        mission = self.mission("a")
        self.assertEqual((mission["status"], mission["result"], mission["turns"], mission["agent"]), ("done", {"sum": 21}, 2, "agent"))

    def test_ids_are_made_and_the_same_mission_is_one(self):
        agent = self.agent_file(prompt="x", replies=["(return 1)"])
        made = {self.submit(agent) for _ in range(3)}
        self.assertEqual(len(made), 3)
        self.submit(agent, "--id", "a", context={"n": 1})
        self.submit(agent, "--id", "a", context={"n": 1})
        self.assertEqual(len(self.missions()), 4)
        other = ptcc("submit", *self.at, "--agent", agent, "--id", "a", "--context", '{"n": 2}')
        self.check(other, 2, "", "a")
        self.check(ptcc("submit", *self.at, "--agent", agent, "--id", ""), 2, "", "--id")

    def test_the_store_has_all_that_a_worker_needs(self):
        self.program("model.py", "a['text'] = '```clojure\\n(return (+ (tool/add {:n data/n}) (count data/rows) (lib/two)))\\n```'")
        self.program("add.py", "a['result'] = r['arguments']['n'] + 1")
        tools = self.file("tools.json", json.dumps({"add": {"signature": "(n :int) -> :int", "cmd": "python3 add.py"}}))
        prelude = self.file("lib.ptc", '(ns lib "two")\n(defn two [] 2)')
        rows = self.file("rows.json", "[1, 2, 3]")
        agent = self.agent_file(prompt="x", signature="(n :int) -> :int")
        self.submit(agent, "--id", "a", "--llm", "cmd:python3 model.py", "--tools", tools, "--prelude", prelude, "--data", "rows=" + rows,
                    context={"n": 10}, cwd=self.folder)
        for name in (tools, prelude, rows, agent):
            os.unlink(name)
        self.work(cwd="/")
        self.assertEqual(self.results(), {"a": 16})

    def test_scripts_play_each_mission_from_its_start(self):
        replies = self.file("replies.jsonl", script("(def a data/n)", "(return (* 2 a))"))
        agent = self.agent_file(prompt="x", llm="script:" + os.path.basename(replies))
        for n in range(3):
            self.submit(agent, "--id", str(n), context={"n": n}, cwd=self.folder)
        self.work()
        self.assertEqual(self.results(), {"0": 0, "1": 2, "2": 4})

    def test_what_is_wrong_is_told_before_it_is_stored(self):
        agent = self.agent_file(prompt="Add to {{n}}.", signature="(n :int) -> :int", replies=["(return 1)"])
        for arguments, part in ((("--agent", agent, "--context", "[1]"), "--context"), (("--agent", agent, "--context", "{"), "--context"),
                                (("--agent", agent, "--context", '{"n": "x"}'), "validation_error"), (("--agent", "nothing.json"), "nothing.json"),
                                (("--agent", agent, "--context", '{"n": 1}', "--llm", "nobody"), "nobody"), ((), "--agent is required"),
                                (("--agent", agent, "--context", '{"n": 1}', "--llm", "cmd:no-such-program"), "no-such-program")):
            self.check(ptcc("submit", *self.at, *arguments), 2, "", part)
        self.assertFalse(os.path.exists(self.store.removeprefix("sqlite:")))

    def test_an_id_may_be_as_long_as_it_says(self):
        agent = self.agent_file(prompt="x", replies=["(return (tool/t {}))"], tools={"t": {"signature": "() -> :int", "do": {"return": 1}}})
        self.submit(agent, "--id", "x" * 200)
        self.work()
        self.assertEqual(self.results(), {"x" * 200: 1})

    def test_who_looks_makes_no_store(self):
        for command in (("missions",), ("missions", "show", "a"), ("missions", "cancel", "a"), ("store", "check")):
            self.check(ptcc(*command, *self.at), 2, "", "There is no file")
        self.assertFalse(os.path.exists(self.store.removeprefix("sqlite:")))

    def test_who_looks_makes_no_tables(self):
        self.file("missions.db", "")
        other = "sqlite:" + os.path.join(self.folder, "other.db")
        with sqlite3.connect(other[7:]) as database: # with a header, and nothing behind it
            database.execute("CREATE TABLE t (n)")
            database.execute("DROP TABLE t")
        for command in (("missions",), ("missions", "show", "a"), ("missions", "tail"), ("store", "check")):
            self.check(ptcc(*command, *self.at), 2, "", "is empty")
            self.check(ptcc(*command, "--store", other), 2, "", "has no tables of missions")
        self.assertEqual(os.path.getsize(self.store[7:]), 0)
        with sqlite3.connect(other[7:]) as database:
            self.assertEqual(database.execute("SELECT count(*) FROM sqlite_master").fetchone(), (0,))
        self.submit(self.agent_file(prompt="x", replies=["(return 1)"]), "--id", "a")
        self.assertEqual(self.status(), {"a": "ready"})

    def test_a_server_that_is_not_there_is_told_at_once(self):
        nowhere = "postgres:///missions?host=" + self.folder
        for command, code in ((("worker", "--until-empty", "--give-up-ms", "0"), 2), (("missions",), 1)):
            self.check(ptcc(*command, "--store", nowhere), code, "", "cannot be reached")

    def test_a_model_that_cannot_be_called_ends_its_mission(self):
        agent = self.agent_file(prompt="x", llm="cmd:false", llm_retry={"max_attempts": 1})
        self.submit(agent, "--id", "a", "--max-attempts", "2")
        self.work()
        [mission] = self.missions()
        self.assertEqual((mission["status"], mission["error"]["reason"]), ("failed", "llm_error"))

    def test_missions_with_catalogues_of_their_own_call_their_own_models(self):
        asked = []

        class House(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                asked.append((self.server.name, self.headers["Authorization"], "ask for a" in body, "ask for b" in body))
                self.send_response(400)
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *arguments):
                pass
        agent = self.agent_file(prompt="ask for {{who}}", signature="(who :string) -> :int", llm_retry={"max_attempts": 1})
        for name in ("a", "b"):
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), House)
            server.name = name
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.addCleanup(server.server_close)
            self.addCleanup(server.shutdown)
            catalog = self.file(name + ".models.json", json.dumps({"house": {
                "provider": "openai", "model": "m", "base_url": f"http://127.0.0.1:{server.server_port}/v1", "key_variable": "KEY_" + name}}))
            self.submit(agent, "--id", name, "--llm", "house", "--models", catalog, "--max-attempts", "1", context={"who": name})
        self.work(env={**os.environ, "KEY_a": "key-a", "KEY_b": "key-b"})
        self.assertEqual(sorted(asked), [("a", "Bearer key-a", True, False), ("b", "Bearer key-b", False, True)])

    def test_many_missions_a_file(self):
        agent = self.agent_file(prompt="x", signature="(n :int) -> :int", replies=["(return data/n)"])
        lines = "".join(json.dumps({"id": f"m{n:03}", "context": {"n": n}, "priority": n}) + "\n" for n in range(50))
        done = ptcc("submit", *self.at, "--agent", agent, "--missions", "-", stdin=lines)
        self.check(done, 0, "".join(f"m{n:03}\n" for n in range(50)), "")
        self.work("--concurrency", "4")
        self.assertEqual(self.results(), {f"m{n:03}": n for n in range(50)})
        for line, part in (({"what": 1}, "what"), ({"priority": 2**32}, "priority"), ({"priority": "high"}, "priority"), ({"delay_ms": -1}, "delay_ms"),
                           ({"deadline_ms": 0}, "deadline_ms"), ({"queue": 7}, "queue"), ({"id": 7}, "id"), ({"id": "y" * 201}, "id"),
                           ({"queue": "q" * 201}, "queue"), ({"tenant": "\n"}, "tenant")):
            lines = '{"id": "x", "context": {"n": 1}}\n' + json.dumps({"context": {"n": 1}, **line}) + "\n"
            bad = ptcc("submit", *self.at, "--agent", agent, "--missions", "-", stdin=lines)
            self.check(bad, 2, "", "line 2")
            self.assertIn(part, bad.stderr)
            self.assertNotIn("x", self.results())
        for option in (("--id", "a"), ("--context", '{"n": 1}')):
            self.check(ptcc("submit", *self.at, "--agent", agent, "--missions", "-", *option, stdin="{}\n"), 2, "", "--missions")

    def test_wrong_stores(self):
        agent = self.agent_file(prompt="x", replies=["(return 1)"])
        other = self.file("other.db", "no database at all, but some text")
        for url, code in (("", 2), ("nothing", 2), ("mysql://x", 2), ("sqlite:" + self.folder + "/none/x.db", 2), ("sqlite:" + other, 2),
                          ("postgres://127.0.0.1:1/x?connect_timeout=2", 1)):
            for command in (("submit", "--agent", agent), ("missions",), ("store", "migrate")):
                done = ptcc(*command, "--store", url)
                self.assertIn(done.returncode, (code, 2), (url, command, done.stderr))
                self.assertTrue(done.stderr.startswith("ptcc: "), done.stderr)
        for url in ("postgres://me:s3cret@[host/db", "postgres://me:s3cret%zz@host/db", "postgres://me@h/db?password=s3cret=x"):
            done = ptcc("missions", "--store", url)
            self.check(done, 2, "", "The URL of the store cannot be read")
            self.assertNotIn("s3cret", done.stderr)
        with open(other, encoding="utf-8") as file:
            self.assertEqual(file.read(), "no database at all, but some text")

    def test_firewalled_values_are_encrypted_or_warned_of(self):
        agent = self.agent_file(prompt="x", signature="(_pin :string) -> :int", replies=["(return (count data/_pin))"])
        arguments = ("submit", *self.at, "--agent", agent, "--context", '{"_pin": "hunter2-hunter2"}')
        self.check(ptcc(*arguments), 0, None, "firewalled")
        # Also what tools and agents among them give, and any of many missions.
        tool = {"signature": "() -> {_token :string}", "cmd": ["true"]}
        child = {"agent": {"prompt": "x", "signature": "() -> {_pin :string}"}, "llm": [fenced("(return {:_pin 1})")]}
        for tools in ({"look": tool}, {"ask": child}):
            self.check(ptcc("submit", *self.at, "--agent", self.agent_file("inner", prompt="x", tools=tools, replies=["(return 1)"])), 0, None, "firewalled")
        plain = self.agent_file("plain", prompt="x", replies=["(return 1)"])
        for lines, said in (('{}\n{"context": {"_x": 1}}\n', "firewalled"), ('{}\n{"context": {"x": 1}}\n', "")):
            self.check(ptcc("submit", *self.at, "--agent", plain, "--missions", "-", stdin=lines), 0, None, said)
        key = self.file("key", "ab" * 32)
        sealed = "sqlite:" + os.path.join(self.folder, "sealed.db")
        at = ("--store", sealed)
        self.check(ptcc("submit", *at, "--key-file", key, *arguments[3:]), 0, None, "")
        self.check(ptcc("missions", *at), 2, "", "needs its key")
        with open(sealed[7:], "rb") as file:
            self.assertNotIn(b"hunter2", file.read())
        self.check(ptcc("worker", *at, "--until-empty", env={**os.environ, "PTC_STORE_KEY": "ab" * 32}), 0)
        done = ptcc("missions", *at, "--json", "--key-file", key)
        self.assertEqual(json.loads(done.stdout)["result"], 15)
        for text in ("abcd", "a password of thirty-two letters"):
            self.check(ptcc("missions", *at, "--key-file", self.file("short", text)), 2, "", "64 hexadecimal digits")


class Work(Stored):
    def test_a_failed_mission_says_why(self):
        agent = self.agent_file(prompt="x", replies=['(fail {:reason :no_data :message "Nothing is there."})'])
        self.submit(agent, "--id", "a")
        self.work()
        mission = self.mission("a")
        self.assertEqual((mission["status"], mission["error"]), ("failed", {"reason": "no_data", "message": "Nothing is there."}))

    def test_a_model_that_cannot_be_called_is_tried_again_until_attempts_are_used_up(self):
        agent = self.agent_file(prompt="x", replies=["(def a 1)"]) # and no further reply
        self.submit(agent, "--id", "a", "--max-attempts", "3")
        log = self.work()
        self.assertEqual(self.mission("a")["status"], "failed")
        self.assertGreaterEqual(sum(line["event"] == "claimed" for line in log), 3)
        self.assertEqual(self.mission("a")["turns"], 2)

    def test_a_worker_without_a_key_leaves_missions_to_others(self):
        # Not the mission's fault: no attempt, however few it has, and the worker takes one now and then.
        bare = {k: v for k, v in os.environ.items() if k != "OPENAI_API_KEY"}
        agent = self.agent_file(prompt="x")
        for n in range(40):
            self.submit(agent, "--id", f"m{n}", "--llm", "openai:gpt-5-mini", "--max-attempts", "1")
        log = self.work(env=bare)
        left = [line for line in log if line["event"] == "left to others"]
        self.assertTrue(left and all("OPENAI_API_KEY" in line["why"] for line in left), log[:3])
        self.assertEqual({(m["status"], m["attempts"]) for m in self.missions()}, {("ready", 0)})
        worker = self.worker(env=bare)
        for _ in range(8): # it goes about with those that are due again
            while '"left to others"' not in worker.stderr.readline():
                pass
        # One that can be begun is not kept behind them, which are older.
        self.submit(self.agent_file("other", prompt="x", replies=["(return 5)"]), "--id", "good")
        wait_until(lambda: self.mission("good")["status"] == "done", "the mission that needs no key")

    def test_missions_that_call_programs_do_not_wait_for_each_other(self):
        asked, called = Gate(self), Gate(self)
        model = self.program("model.py", asked.stop + "\na['text'] = '```clojure\\n(return (tool/t {}))\\n```'")
        tools = self.tools(t={"signature": "() -> :int", "cmd": "exec " + self.program("t.py", called.stop + "\na['result'] = 7")})
        agent = self.agent_file(prompt="x")
        for n in range(20):
            self.submit(agent, "--id", f"m{n}", "--llm", "cmd:exec " + model, "--tools", tools, "--timeout-ms", "240000")
        worker = self.worker("--until-empty", "--quiet")
        for gate in (asked, called):
            self.addCleanup(gate.open) # before the worker's programs are waited for
        for gate in (asked, called):
            gate.wait_for(20)
            gate.open()
        self.assertEqual(worker.wait(SECONDS), 0)
        self.assertEqual(self.results(), {f"m{n}": 7 for n in range(20)})
        self.assertEqual((asked.arrived, called.arrived), (20, 20))

    def test_a_call_whose_time_is_over_before_its_turn_is_not_made(self):
        # The first call is at it until its time is over, which begins no sooner than that of those behind it.
        calls = os.path.join(self.folder, "calls")
        tools = self.tools(t={"signature": "(n :int) -> :int", "cmd": "read line; echo $line >> %s; exec sleep 100000" % calls})
        traces = os.path.join(self.folder, "traces")
        os.mkdir(traces)
        agent = self.agent_file(prompt="x", timeout=1000, replies=["(pmap (fn [n] (tool/t {:n n})) [1 2 3])", "(return 7)"])
        self.submit(agent, "--id", "a", "--tools", tools, "--timeout-ms", "1000")
        self.work("--calls", "1", "--trace", traces)
        self.assertEqual(self.results(), {"a": 7})
        with open(calls, encoding="utf-8") as made:
            self.assertEqual(len(made.readlines()), 1)
        with open(os.path.join(traces, "a.0.jsonl"), encoding="utf-8") as lines:
            events = [json.loads(line) for line in lines]
        self.assertEqual(sum("It was not called: its time was over" in json.dumps(e) for e in events if e.get("event") == "tool_call"), 2, events)

    def test_a_worker_without_a_program_leaves_missions_to_others(self):
        bare = {**os.environ, "PATH": "/bin:/usr/bin"}
        folder = os.path.join(self.folder, "programs")
        os.mkdir(folder)
        for name, answer in (("good-model", "a['text'] = '```clojure\\n(return 5)\\n```'"), ("good-tool", "a['result'] = 5")):
            path = os.path.join(folder, name)
            self.file(os.path.join("programs", name), "#!/bin/sh\nexec " + self.program(name + ".py", answer) + "\n")
            os.chmod(path, 0o755)
        rich = {**os.environ, "PATH": folder + ":" + os.environ["PATH"]}
        agent = self.agent_file(prompt="x")
        tool = {"signature": "() -> :int"}
        with_tool = self.tools(t={**tool, "cmd": "good-tool"})
        self.submit(agent, "--id", "model", "--llm", "cmd:good-model", "--max-attempts", "1", env=rich)
        self.submit(self.agent_file("b", prompt="x", replies=["(return (tool/t {}))"]), "--id", "tool", "--tools", with_tool, "--max-attempts", "1", env=rich)
        with_list = self.file("list.json", json.dumps({"t": {**tool, "cmd": ["programs/good-tool"]}}))
        self.submit(self.agent_file("c", prompt="x", replies=["(return (tool/t {}))"]), "--id", "near", "--tools", with_list, env=rich, cwd=self.folder)
        left = {line["mission"]: line["why"] for line in self.work(env=bare) if line["event"] == "left to others"}
        self.assertEqual(left, {"model": "There is no program `good-model`.", "tool": "There is no program `good-tool`."})
        self.assertEqual({m["id"]: (m["status"], m["attempts"]) for m in self.missions()},
                         {"model": ("ready", 0), "tool": ("ready", 0), "near": ("done", 0)})
        worker = self.worker("--quiet", env=rich)
        wait_until(lambda: self.results() == {"model": 5, "tool": 5, "near": 5}, "the worker that has the programs")
        self.end(worker)

    def test_an_outage_of_minutes_fails_no_mission(self):
        model = self.program("model.py", "a['error'] = {'kind': 'http', 'message': 'away', 'http': 503, 'permanent': True}")
        self.submit(self.agent_file(prompt="x", llm_retry={"max_attempts": 1}), "--id", "a", "--llm", "cmd:exec " + model)
        waits = {}
        for attempts in (0, 5, 6, 34, 35): # as if so many had failed, and the wait were over
            self.sql(f"UPDATE mission SET attempts = {attempts}, not_before = 1, wake_at = 1")
            worker = self.worker()
            for line in map(json.loads, worker.stderr):
                if line["event"] in ("to be tried again", "failed"):
                    waits[attempts] = line.get("after_ms")
                    break
            self.end(worker)
        self.assertEqual(waits, {0: 1000, 5: 32_000, 6: 60_000, 34: 60_000, 35: None})

    def test_many_missions_go_on_after_they_failed(self):
        agent = self.agent_file(prompt="x", replies=["(if data/ok (return 1) (fail {:reason :no :message \"no\"}))"])
        for n in range(4):
            self.submit(agent, "--id", f"m{n}", "--queue", "q" if n else "r", "--max-attempts", "2", context={"ok": n == 3})
        self.work()
        retry = ("missions", "retry", *self.at)
        self.check(ptcc(*retry, "m0", "m1"), 0, err="")
        self.assertEqual([self.mission(f"m{n}")["status"] for n in range(3)], ["ready", "ready", "failed"])
        again = ptcc(*retry, "m2", "m3")
        self.assertEqual((again.returncode, self.mission("m2")["status"]), (1, "ready"))
        self.assertIn("m3", again.stderr)
        self.work()
        self.check(ptcc(*retry, "--status", "failed", "--queue", "q"), 0, out="2\n", err="")
        self.assertEqual([self.mission(f"m{n}")["status"] for n in range(4)], ["failed", "ready", "ready", "done"])
        for wrong in ((), ("--status", "done"), ("--queue", "q"), ("m0", "--status", "failed")):
            self.assertEqual(ptcc(*retry, *wrong).returncode, 2, wrong)

    def test_what_stands_still_says_why(self):
        gate = Gate(self)
        slow = {"signature": "() -> :int", "cmd": "exec " + self.program("slow.py", gate.stop + "\na['result'] = 3")}
        model = self.program("model.py", "a['error'] = {'kind': 'authentication', 'message': 'no key', 'permanent': True}")
        self.submit(self.agent_file("slow", prompt="x", tools={"slow": slow}, replies=["(return (tool/slow {}))"]), "--id", "slow")
        self.submit(self.agent_file("later", prompt="x", replies=["(return 1)"]), "--id", "later", "--delay-ms", "1000000000")
        self.assertEqual({m["id"]: m["waits"]["for"] for m in self.missions()}, {"slow": "worker", "later": "time"})
        self.worker("--quiet")
        gate.wait_for(1)
        waits = self.mission("slow")["waits"]
        self.assertEqual((waits["for"], waits["names"]), ("tool", ["slow"]))
        self.assertGreaterEqual(waits["since_ms"], self.mission("slow")["created_ms"])
        self.submit(self.agent_file("away", prompt="x", llm_retry={"max_attempts": 1}), "--id", "away", "--llm", "cmd:exec " + model,
                    "--max-attempts", "1000")
        seen = []
        wait_until(lambda: seen.append(self.mission("away").get("waits", {})) or seen[-1].get("for") == "retry", "the retry")
        self.assertEqual((seen[-1]["reason"], "no key" in seen[-1]["message"]), ("llm_error", True))
        self.assertGreater(seen[-1]["until_ms"], seen[-1]["since_ms"])
        # For people: --max-attempts leaves time for it, as waits grow to a minute.
        texts = []
        wait_until(lambda: texts.append(ptcc("missions", *self.at).stdout) or "to be tried again at " in texts[-1], "the text of it")
        self.assertRegex(texts[-1], r"away .* after llm_error: .*no key")
        self.assertRegex(texts[-1], r"later .* waits for its time, \d{4}-")
        self.assertRegex(texts[-1], r"slow .* waits for tool slow since \d{4}-")
        self.assertRegex(ptcc("missions", "show", "later", *self.at).stdout, r"\nwhy +waits for its time, \d{4}-")
        gate.open()
        wait_until(lambda: self.mission("slow")["status"] == "done", "the tool")
        self.assertNotIn("waits", self.mission("slow"))

    def test_a_mission_goes_on_when_its_model_is_back(self):
        flag = os.path.join(self.folder, "flag")
        model = self.program("model.py", "if os.path.exists(%r): a['text'] = '```clojure\\n(return 7)\\n```'\n"
                                         "else: a['error'] = {'kind': 'authentication', 'message': 'no', 'permanent': True}" % flag)
        self.submit(self.agent_file(prompt="x"), "--id", "a", "--llm", "cmd:exec " + model, "--max-attempts", "1")
        self.work()
        self.assertEqual(self.mission("a")["status"], "failed")
        self.file("flag", "")
        self.check(ptcc("missions", "retry", "a", *self.at), 0, "", "")
        self.work()
        self.assertEqual(self.results(), {"a": 7})

    def test_cancelled_missions_end(self):
        gate = Gate(self)
        model = "cmd:exec " + self.program("model.py", gate.stop + "\na['text'] = '```clojure\\n(return 7)\\n```'")
        agent = self.agent_file(prompt="x", replies=["(return 1)"])
        self.submit(agent, "--id", "queued", "--delay-ms", "1000000000")
        self.check(ptcc("missions", "cancel", "queued", *self.at), 0, "", "")
        self.submit(agent, "--id", "running", "--llm", model)
        worker = self.worker("--lease-ms", "600")
        gate.wait_for(1)
        self.check(ptcc("missions", "cancel", "running", *self.at), 0, "", "")
        wait_until(lambda: self.status() == {"queued": "cancelled", "running": "cancelled"}, "the cancellation")
        self.assertEqual(self.mission("running")["error"]["reason"], "interrupted")
        self.check(ptcc("missions", "cancel", "running", *self.at), 1, "", "over already")
        self.check(ptcc("missions", "cancel", "nobody", *self.at), 2, "", "nobody")
        self.assertIsNone(worker.poll())

    def test_a_deadline_fails_a_mission_that_nobody_carries(self):
        self.submit(self.agent_file(prompt="x", replies=["(return 1)"]), "--id", "a", "--delay-ms", "1000", "--deadline-ms", "1")
        self.work()
        self.assertEqual(self.mission("a")["error"]["reason"], "timeout")

    def test_no_queue_starves(self):
        agent = self.agent_file(prompt="x", replies=["(return 1)"])
        for queue, count in (("big", 300), ("small", 10)):
            lines = "".join(json.dumps({"id": f"{queue}-{n}"}) + "\n" for n in range(count))
            self.check(ptcc("submit", *self.at, "--agent", agent, "--queue", queue, "--missions", "-", stdin=lines), 0)
        log = self.work("--concurrency", "1", "--threads", "1")
        order = [line["mission"] for line in log if line["event"] == "done"]
        self.assertEqual(len(order), 310)
        self.assertLess(max(order.index(f"small-{n}") for n in range(10)), 40)

    def test_a_full_disk_ends_a_worker_that_somebody_waits_for_and_loses_nothing(self):
        replies = [f"(def b{n} (apply str (map (fn [i] (str (* i i i {7919 + n}))) (range 6000))))" for n in range(6)] + ["(return 2)"]
        agent = self.agent_file(prompt="x", max_turns=9, replies=replies)
        for n in range(4):
            self.submit(agent, "--id", f"m{n}")
        most = os.path.getsize(self.store[7:]) + 60_000

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        done = ptcc("worker", *self.at, "--until-empty", "--give-up-ms", "1500", preexec_fn=limit)
        self.assertEqual(done.returncode, 1, done.stderr)
        log = done.stderr.splitlines()
        self.assertTrue(log[-1].startswith("ptcc: The store cannot be used: "), log[-1])
        errors = [line for line in log[:-1] if json.loads(line)["level"] == "error"]
        self.assertGreater(len(errors), 0)
        self.assertLess(len(errors), 100) # it backs off
        self.work()
        self.assertEqual(self.results(), {f"m{n}": 2 for n in range(4)})

    def test_each_claim_has_a_trace_of_its_own(self):
        traces = os.path.join(self.folder, "traces")
        os.mkdir(traces)
        model = self.program("model.py", "a['error'] = {'kind': 'authentication', 'message': 'no', 'permanent': True}")
        asks = self.agent_file("asks", prompt="x", tools={"t": {"signature": "() -> :int", "approval": True, "do": {"return": 1}}},
                               replies=["(return (tool/t {}))"])
        self.submit(asks, "--id", "a/b")
        self.submit(asks, "--id", "a%2Fb")
        self.submit(self.agent_file(prompt="x", llm_retry={"max_attempts": 1}), "--id", "away", "--llm", "cmd:exec " + model, "--max-attempts", "2")
        self.work("--trace", traces)
        self.assertEqual(sorted(os.listdir(traces)), ["a%252Fb.0.jsonl", "a%2Fb.0.jsonl", "away.0.jsonl", "away.1.jsonl"])
        for name in os.listdir(traces):
            self.check(ptcc("trace", os.path.join(traces, name)), 0, err="")

    def test_an_id_of_any_length_has_a_trace(self):
        traces = os.path.join(self.folder, "traces")
        os.mkdir(traces)
        agent = self.agent_file(prompt="x", replies=["(return 1)"])
        for last in "ab":
            self.submit(agent, "--id", "/" * 199 + last)
        self.work("--trace", traces)
        self.assertEqual(sorted(os.listdir(traces)), ["%2F" * 66 + "%2.0.2.jsonl", "%2F" * 66 + "%2.0.jsonl"])

    def test_a_trace_that_cannot_be_written_is_told(self):
        traces = os.path.join(self.folder, "traces")
        os.mkdir(traces)
        self.submit(self.agent_file(prompt="x", replies=["(return 1)"]), "--id", "a" * 200)
        os.symlink("/nowhere/else", os.path.join(traces, "a" * 200 + ".0.jsonl")) # no file, so that it looks free
        told = [line for line in self.work("--trace", traces) if line["event"] == "trace"]
        self.assertEqual([(one["level"], one["mission"]) for one in told], [("error", "a" * 200)])
        self.assertIn("traces/aaa", told[0]["why"])
        self.assertEqual(self.results(), {"a" * 200: 1})

    def test_a_mission_that_kills_its_workers_ends_alone(self):
        """The others are slower than it is: none of them gets an answer while it is beside them."""
        poison = self.program("poison.py", "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos._exit(0)")
        slow = self.program("slow.py", "time.sleep(0.7)\na['result'] = 7")
        def agent(name, program):
            return self.agent_file(name, prompt="x", replies=["(return (tool/t {}))"],
                                   tools={"t": {"signature": "() -> :int", "cmd": "exec " + program}})
        self.submit(agent("poison", poison), "--id", "poison", "--priority", "1")
        for n in range(10):
            self.submit(agent("slow", slow), "--id", f"slow-{n}")
        lost = 0
        while ptcc("worker", *self.at, "--until-empty", "--quiet", "--lease-ms", "300", "--poll-ms", "50").returncode != 0:
            lost += 1
            self.assertLess(lost, 60)
        self.assertEqual(self.results().pop("poison")["reason"], "attempts_exceeded")
        self.assertEqual(self.status(), {"poison": "failed", **{f"slow-{n}": "done" for n in range(10)}})

    def test_queues_are_chosen(self):
        agent = self.agent_file(prompt="x", replies=["(return 1)"])
        for queue in ("a", "b", "c"):
            self.submit(agent, "--id", queue, "--queue", queue)
        self.work("--queues", "a,c")
        self.assertEqual(self.status(), {"a": "done", "b": "ready", "c": "done"})

    def test_a_signal_drains(self):
        gate = Gate(self)
        model = "cmd:exec " + self.program("model.py", gate.stop + "\na['text'] = '```clojure\\n(def a 1)\\n```' if r['turn'] == 1 else '```clojure\\n(return 7)\\n```'")
        self.submit(self.agent_file(prompt="x"), "--id", "a", "--llm", model)
        worker = self.worker("--drain-ms", "200000")
        gate.wait_for(1)
        self.submit(self.agent_file(prompt="x", replies=["(return 1)"]), "--id", "late")
        worker.send_signal(signal.SIGTERM)
        wait_until(lambda: "drain" in worker.stderr.readline(), "the drain")
        gate.open()
        self.assertEqual(worker.wait(SECONDS), 0)
        self.assertEqual(self.status(), {"a": "ready", "late": "ready"})
        gate.shut()
        arrived = gate.arrived
        gate.open()
        self.work()
        self.assertEqual(self.results(), {"a": 7, "late": 1})
        self.assertEqual(gate.arrived, arrived + 1) # the first answer was kept

    def test_a_signal_to_a_process_and_its_group_is_one(self):
        gate = Gate(self)
        model = "cmd:exec " + self.program("model.py", gate.stop + "\na['text'] = '```clojure\\n(return 7)\\n```'")
        self.submit(self.agent_file(prompt="x"), "--id", "a", "--llm", model)
        worker = self.worker("--drain-ms", "200000")
        gate.wait_for(1)
        for _ in range(2):
            worker.send_signal(signal.SIGTERM)
            time.sleep(0.02) # two at the very same moment come as one
        wait_until(lambda: "drain" in worker.stderr.readline(), "the drain")
        gate.open()
        self.assertEqual(worker.wait(SECONDS), 0)
        # One that comes later ends it at once.
        gate.shut()
        worker = self.worker("--drain-ms", "200000")
        self.submit(self.agent_file(prompt="x"), "--id", "b", "--llm", model)
        gate.wait_for(gate.arrived + 1)
        worker.send_signal(signal.SIGTERM)
        wait_until(lambda: "drain" in worker.stderr.readline(), "the drain")
        time.sleep(1.1)
        worker.send_signal(signal.SIGTERM)
        self.assertEqual(worker.wait(SECONDS), -signal.SIGTERM)
        gate.open()

    def test_rows_that_somebody_changed_forge_no_lines(self):
        self.submit(self.agent_file(prompt="x", replies=["(return 1)"]), "--id", "a")
        self.work()
        for row, shown in (("1}\n{\"id\": \"b\"", "1}\n{\"id\": \"b\""), ("[1,\n 2]", [1, 2]), ("{", "{"), ("{\"x\": 1}", {"x": 1})):
            self.sql("UPDATE mission SET result = '" + row + "'")
            self.assertEqual([m["result"] for m in self.missions()], [shown])

    def test_rows_that_cannot_be_read_are_listed_with_the_others(self):
        """Whoever has the database has put anything there."""
        agent = self.agent_file(prompt="x", replies=["(return 1)"])
        for name in ("a", "b", "c", "d"):
            self.submit(agent, "--id", name)
        self.work()
        self.sql("UPDATE mission SET id = 'b' || char(10) || 'd done' WHERE id = 'b'")
        self.sql("UPDATE mission SET status = 'odd' WHERE id = 'c'")
        self.sql("UPDATE lane SET queue = 'q' || char(27) || '[31m' || char(10) || 'x'")
        done = ptcc("missions", *self.at, "--json")
        self.assertEqual((done.returncode, done.stderr), (1, "ptcc: 2 of the missions cannot be read.\n"))
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([(row["id"], row["status"]) for row in rows], [("a", "done"), ("b\nd done", "unreadable"), ("c", "unreadable"), ("d", "done")])
        self.assertEqual(rows[2]["problem"], "Its status is unknown.")
        done = ptcc("missions", *self.at)
        self.assertEqual(len(done.stdout.splitlines()), 5, done.stdout)
        self.assertNotIn("\x1b", done.stdout)

    def test_a_mission_with_an_impossible_id_fails_at_once(self):
        agent = self.agent_file(prompt="x", replies=["(return 1)"])
        for name in ("a", "b"):
            self.submit(agent, "--id", name)
        self.sql("UPDATE mission SET id = 'b' || char(10) || 'd' WHERE id = 'b'")
        log = self.work()
        self.assertEqual([line["event"] for line in log if line["level"] == "error"], [])
        done = ptcc("missions", *self.at, "--json")
        self.assertEqual([json.loads(line)["status"] for line in done.stdout.splitlines()], ["done", "unreadable"])

    def test_a_row_that_is_too_large_fails_alone(self):
        agent = self.agent_file(prompt="x", replies=["(return 1)"])
        for name in ("a", "b"):
            self.submit(agent, "--id", name)
        self.sql("UPDATE mission SET context = zeroblob(300000000) WHERE id = 'a'")
        self.work()
        self.assertEqual(self.status(), {"a": "failed", "b": "done"})
        self.assertIn("larger than 255 MiB", self.results()["a"]["message"])

    def test_a_fifo_beside_a_file_is_not_waited_for(self):
        path = self.store.removeprefix("sqlite:")
        self.submit(self.agent_file(prompt="x", replies=["(return 1)"]), "--id", "a")
        for beside in ("-journal", "-wal", "-shm"):
            os.mkfifo(path + beside)
            done = ptcc("missions", *self.at)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(path + beside + ": It is no file", done.stderr)
            os.remove(path + beside)

    def test_a_file_that_is_copied_after_a_worker_has_all(self):
        self.submit(self.agent_file(prompt="x", replies=["(return 1)"]), "--id", "a")
        self.work()
        copy = os.path.join(self.folder, "copy.db")
        shutil.copyfile(self.store.removeprefix("sqlite:"), copy)
        done = ptcc("missions", "--store", "sqlite:" + copy, "--json")
        self.assertEqual(json.loads(done.stdout)["status"], "done")

    def test_a_worker_waits_for_a_server_that_is_away_when_it_starts(self):
        away = ("--store", "postgres://ptc@127.0.0.1:1/x")
        done = ptcc("worker", *away, "--until-empty", "--give-up-ms", "700")
        self.assertEqual(done.returncode, 2, done.stderr)
        line = json.loads(done.stderr.splitlines()[0])
        self.assertEqual((list(line)[:4], line["event"]), (["time_ms", "level", "event", "worker"], "store"))
        self.assertTrue(line["worker"])
        worker = subprocess.Popen([ptcc_test.PTCC, "worker", *away], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, worker)
        for _ in range(2): # and again
            self.assertEqual(json.loads(worker.stderr.readline())["event"], "store")
        worker.send_signal(signal.SIGTERM)
        self.assertEqual(worker.wait(SECONDS), 0)

    def test_what_does_not_end_is_given_back(self):
        gate = Gate(self)
        model = "cmd:exec " + self.program("model.py", gate.stop + "\na['text'] = '```clojure\\n(return 7)\\n```'")
        self.submit(self.agent_file(prompt="x"), "--id", "a", "--llm", model)
        worker = self.worker("--drain-ms", "0")
        gate.wait_for(1)
        worker.send_signal(signal.SIGTERM)
        self.assertEqual(worker.wait(SECONDS), 0)
        self.assertEqual(self.status(), {"a": "ready"})
        gate.open()
        self.work()
        self.assertEqual(self.results(), {"a": 7})

    def test_status_over_http(self):
        self.submit(self.agent_file(prompt="x", replies=["(return 1)"]), "--id", "a", "--queue", 'q"1')
        worker = self.worker("--port", "0")
        port = int(re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)\n", worker.stdout.readline())[1])

        def get(path, **headers):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            body = response.read().decode()
            connection.close()
            return response.status, response.headers["Content-Type"], body

        wait_until(lambda: self.status() == {"a": "done"}, "the mission")
        self.assertEqual(get("/metrics", Host="evil.example")[0], 403)
        self.assertEqual(get("/metrics", Origin="http://evil.example")[0], 403)
        self.assertEqual(get("/livez")[::2], (200, "ok\n"))
        self.assertEqual(get("/readyz")[::2], (200, "ok\n"))
        status, kind, metrics = get("/metrics")
        self.assertEqual((status, kind), (200, "text/plain; version=0.0.4; charset=utf-8"))
        for line in ('ptc_worker_missions_total{outcome="done"} 1', "ptc_worker_turns_total 1", 'ptc_store_missions{queue="q\\"1",status="done"} 1'):
            self.assertIn("\n" + line + "\n", metrics)
        self.assertEqual(get("/other")[0], 404)

    def test_metrics_need_a_key_where_others_reach_them(self):
        self.check(ptcc("worker", *self.at, "--port", "0", "--host", "0.0.0.0", "--until-empty"), 2, "", "--key-env")
        self.submit(self.agent_file(prompt="x", replies=["(return 1)"]), "--id", "a")
        worker = self.worker("--port", "0", "--host", "0.0.0.0", "--key-env", "PTC_KEY", env={**os.environ, "PTC_KEY": "s3cret"})
        port = int(re.search(r":(\d+)$", worker.stdout.readline())[1])

        def get(path, **headers):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
            self.addCleanup(connection.close)
            connection.request("GET", path, headers=headers)
            return connection.getresponse().status

        self.assertEqual((get("/metrics"), get("/metrics", Authorization="Bearer other")), (401, 401))
        self.assertEqual(get("/metrics", Authorization="Bearer s3cret"), 200)
        self.assertEqual((get("/livez"), get("/readyz")), (200, 200)) # of whoever watches over processes
        self.assertEqual(get("/readyz", Origin="http://evil.example"), 403)

    def test_a_worker_lives_and_drains_while_its_database_is_away(self):
        program = os.path.join(os.path.dirname(ptcc_test.PTCC), "serve_postgres")
        server = subprocess.Popen([program, "away"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(server.communicate)
        self.store = server.stdout.readline().strip()
        if not self.store:
            self.skipTest(server.stderr.read())
        self.at = ("--store", self.store)
        gate = Gate(self)
        model = "cmd:exec " + self.program("model.py", gate.stop + "\na['text'] = '```clojure\\n(return 7)\\n```'")
        agent = self.agent_file(prompt="x")
        for n in range(6):
            self.submit(agent, "--id", f"m{n}", "--llm", model)
        log = open(os.path.join(self.folder, "log"), "w", encoding="utf-8")
        self.addCleanup(log.close)
        worker = subprocess.Popen([ptcc_test.PTCC, "worker", *self.at, "--port", "0", "--drain-ms", "500"], stdout=subprocess.PIPE, stderr=log, text=True)
        self.addCleanup(self.end, worker)
        port = int(re.search(r":(\d+)$", worker.stdout.readline())[1])

        def get(path):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
            self.addCleanup(connection.close)
            connection.request("GET", path)
            return connection.getresponse().status
        gate.wait_for(1)
        self.assertEqual(get("/readyz"), 200)
        folder = re.search(r"host=([^&]*)", self.store)[1]
        with open(os.path.join(folder, "data", "postmaster.pid"), encoding="utf-8") as file:
            pid = int(file.readline())
        os.kill(pid, signal.SIGQUIT) # at once, with all its connections
        while True: # its sessions answer until the signal has come to each of them
            with socket.socket(socket.AF_UNIX) as door:
                if door.connect_ex(os.path.join(folder, ".s.PGSQL.5432")) != 0:
                    break
        # Sooner than the store's own calls, which are tried again for ten seconds, give up: the log has none of them yet.
        self.assertEqual((get("/livez"), get("/readyz"), get("/metrics"), get("/readyz")), (200, 503, 200, 503))
        with open(log.name, encoding="utf-8") as lines:
            self.assertNotIn('"error"', lines.read())
        worker.send_signal(signal.SIGTERM)
        self.assertEqual(worker.wait(SECONDS), 0)
        with open(log.name, encoding="utf-8") as lines:
            self.assertNotIn("given back", lines.read()) # nobody could be told

    def test_a_mission_that_gets_no_further_fails_again_after_a_retry(self):
        self.submit(self.agent_file(prompt="x", signature="() -> :int", llm=["no program", "nor here"]), "--id", "m", "--max-attempts", "5")
        for _ in range(2):
            lines = self.work()
            self.assertEqual(self.status(), {"m": "failed"})
            self.assertLessEqual(sum(line["event"] == "claimed" for line in lines), 6)
            self.check(ptcc("missions", "retry", "m", *self.at), 0)


class Approval(Stored):
    def setUp(self):
        super().setUp()
        self.world = os.path.join(self.folder, "world.db")
        pay = {"signature": "(n :int) -> :int", "approval": True, "cmd": "exec " + self.program("pay.py", PAY % self.world)}
        self.payer = self.agent_file(prompt="Pay.", signature="(n :int) -> :any", tools={"pay": pay},
                                     replies=["(def a data/n)\n(return [(tool/pay {:n a}) (tool/pay {:n (+ a 1)})])", "(return :denied)"])

    def test_a_mission_waits_in_the_store_and_nobody_waits_for_it(self):
        self.submit(self.payer, "--id", "a", context={"n": 1})
        self.work()
        mission = self.mission("a")
        self.assertEqual((mission["status"], mission["waits_for"][0]["arguments"]), ("waiting", {"n": 1}))
        self.assertRegex(ptcc("missions", *self.at).stdout, r'approval of pay \{"n":1\} since \d{4}-')
        self.assertEqual((mission["waits"]["for"], mission["waits"]["names"]), ("approval", ["pay"]))
        self.check(ptcc("missions", "approve", "a", *self.at), 0, "", "")
        self.assertEqual(self.status(), {"a": "ready"})
        self.work()
        self.assertEqual(self.mission("a")["waits_for"][0]["arguments"], {"n": 2})
        self.check(ptcc("missions", "approve", "a", *self.at, "--arguments", '{"n": 7}'), 0, "", "")
        self.work()
        self.assertEqual(self.results(), {"a": [10, 70]})
        self.check(ptcc("missions", "approve", "a", *self.at), 1, "", "it is over already")
        self.check(ptcc("missions", "retry", "a", *self.at), 1, "", "neither failed nor was cancelled")

    def test_arguments_that_do_not_fit_are_told_at_once(self):
        child = {"agent": {"prompt": "x", "signature": "(n :int) -> :int", "tools": {"pay": {"signature": "(n :int) -> :int", "approval": True,
                                                                                           "do": {"return": 5}}}},
                 "llm": [fenced("(return (tool/pay {:n data/n}))")]}
        nested = self.agent_file("nested", prompt="x", tools={"child": child}, replies=["(return (tool/child {:n 1}))"])
        self.submit(self.payer, "--id", "a", context={"n": 1})
        self.submit(nested, "--id", "b")
        self.work()
        for name in ("a", "b"):
            done = ptcc("missions", "approve", name, *self.at, "--arguments", '{"n": "many"}')
            self.check(done, 2, "", '--arguments do not fit `pay`, whose signature is (n :int) -> :int: n: expected int, got string "many".')
            self.check(ptcc("missions", "approve", name, *self.at, "--arguments", "{}"), 2, "", "n: ")
            self.assertEqual(self.mission(name)["status"], "waiting")
            self.check(ptcc("missions", "approve", name, *self.at, "--arguments", '{"n": 7}'), 0, "", "")
        self.work()
        self.assertEqual(self.results()["b"], 5)

    def test_tail_follows_one_mission_to_its_end(self):
        self.submit(self.payer, "--id", "a", context={"n": 1})
        self.submit(self.agent_file(prompt="x", replies=["(return 1)"]), "--id", "other", "--delay-ms", "1000000000")
        tail = subprocess.Popen([ptcc_test.PTCC, "missions", "tail", "a", "--json", *self.at], stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end, tail)
        self.assertEqual(json.loads(tail.stdout.readline())["status"], "ready")
        worker = self.worker("--quiet")
        for _ in range(2):
            wait_until(lambda: self.mission("a")["status"] == "waiting", "the approval")
            self.check(ptcc("missions", "approve", "a", *self.at), 0)
            wait_until(lambda: self.mission("a").get("waits_for", [{}])[0].get("arguments") == {"n": 2} or self.status()["a"] == "done", "the next one")
        lines = [json.loads(line) for line in tail.stdout]
        self.assertEqual((tail.wait(SECONDS), lines[-1]["status"], lines[-1]["result"]), (0, "done", [10, 20]))
        self.assertIn(("approval", "pay", True), [(line["call"]["kind"], line["call"]["name"], line["call"]["is_answered"])
                                                  for line in lines if "call" in line])
        self.assertEqual({line["id"] for line in lines}, {"a"})
        self.assertIsNone(worker.poll())
        self.check(ptcc("missions", "tail", "b", *self.at), 2, "", "no mission `b`")

    def test_denied(self):
        self.submit(self.payer, "--id", "a", context={"n": 1})
        self.work()
        self.check(ptcc("missions", "deny", "a", *self.at, "--reason", "too much"), 0, "", "")
        self.work()
        self.assertEqual(self.results(), {"a": "denied"})
        self.assertFalse(os.path.exists(self.world))

    def test_show_says_who_decided_what(self):
        self.submit(self.payer, "--id", "a", context={"n": 1})
        self.work()
        self.check(ptcc("missions", "approve", "a", *self.at, "--by", "Anna K", "--arguments", '{"n": 7}'), 0, "", "")
        self.work()
        self.check(ptcc("missions", "deny", "a", *self.at, "--reason", "too\nmuch"), 0, "", "")
        self.work()
        shown = [c for c in json.loads(ptcc("missions", "show", "a", *self.at, "--json").stdout)["calls"] if c["kind"] == "approval"]
        me = pwd.getpwuid(os.geteuid()).pw_name
        self.assertEqual([c["decision"] for c in shown], [{"is_approved": True, "by": "Anna K", "arguments": {"n": 7}},
                                                          {"is_approved": False, "by": me, "reason": "too\nmuch"}])
        self.assertTrue(all(c["answered_ms"] >= c["asked_ms"] > 0 for c in shown), shown)
        text = ptcc("missions", "show", "a", *self.at).stdout
        self.assertRegex(text, r'approval pay approved by Anna K at \d{4}-\S+Z with \{"n":7\}\n')
        self.assertRegex(text, rf"approval pay denied by {me} at \d{{4}}-\S+Z: too much\n")
        self.check(ptcc("missions", "approve", "a", *self.at, "--by", "x" * 201), 2, "", "--by")

    def test_show_and_mistakes(self):
        self.submit(self.payer, "--id", "a", context={"n": 1})
        self.work()
        shown = ptcc("missions", "show", "a", *self.at)
        self.check(shown, 0, None, "")
        self.assertIn("approval pay (no answer yet)", shown.stdout)
        self.assertEqual(json.loads(ptcc("missions", "show", "a", *self.at, "--json").stdout)["calls"][-1]["kind"], "approval")
        self.check(ptcc("missions", "approve", "a", *self.at, "--arguments", "[1]"), 2, "", "--arguments")
        self.check(ptcc("missions", "approve", "a", *self.at, "--need", "99"), 2, "")
        self.check(ptcc("missions", "approve", "b", *self.at), 2, "", "no mission `b`")
        self.check(ptcc("missions", "list", "--status", "asleep", *self.at), 2, "", "--status")
        self.check(ptcc("missions", "prune", *self.at), 0, "0\n", "")
        self.check(ptcc("missions", "cancel", "a", *self.at), 0, "", "")
        self.work()
        self.assertEqual(self.status(), {"a": "cancelled"})
        self.check(ptcc("missions", "prune", *self.at), 0, "1\n", "")
        self.assertEqual(self.missions(), [])


class Elsewhere(Stored):
    """Calls of tools that no worker makes: a mission waits for them in the store."""

    def test_a_tool_is_answered_from_outside(self):
        ask = {"signature": "(n :int) -> {n :int}", "outside": True}
        agent = self.agent_file(prompt="x", tools={"ask": ask}, replies=["(return (pmap (fn [n] (:n (tool/ask {:n n}))) [1 2]))"])
        self.submit(agent, "--id", "a")
        self.work()
        mission = self.mission("a")
        self.assertEqual((mission["status"], mission["waits"]["for"], mission["waits"]["names"]), ("waiting", "tool", ["ask", "ask"]))
        self.assertEqual([(w["tool"], w["answered_by"], w["arguments"]) for w in mission["waits_for"]],
                         [("ask", "outside", {"n": 1}), ("ask", "outside", {"n": 2})])
        self.assertRegex(ptcc("missions", *self.at).stdout, r"a .* waits for tool ask, ask since \d{4}-")
        answer = ("missions", "answer", "a", *self.at)
        self.check(ptcc(*answer, "--result", '{"n": 7}'), 2, "", "waits for several answers: --need says which")
        first, second = (str(w["need"]) for w in mission["waits_for"])
        self.check(ptcc(*answer, "--need", first, "--result", '{"n": "x"}'), 2, "", "--result does not fit `ask`")
        self.check(ptcc(*answer, "--need", first, "--result", "{"), 2, "", "--result")
        self.check(ptcc(*answer, "--need", first), 2, "", "One of --result and --error is required.")
        self.check(ptcc(*answer, "--need", first, "--result", "1", "--error", "No."), 2, "", "--result and --error exclude each other")
        self.check(ptcc("missions", "approve", "a", *self.at), 2, "", "waits for no approval")
        self.check(ptcc(*answer, "--need", first, "--result", '{"n": 7}'), 0, "", "")
        self.check(ptcc(*answer, "--result", '{"n": 8}'), 0, "", "")
        self.check(ptcc(*answer, "--need", second, "--result", '{"n": 9}'), 1, "", "has its answer")
        self.work()
        self.assertEqual(self.results(), {"a": [7, 8]})
        self.check(ptcc(*answer, "--result", "1"), 1, "", "over already")
        calls = json.loads(ptcc("missions", "show", "a", *self.at, "--json").stdout)["calls"]
        self.assertEqual([c["kind"] for c in calls if c["name"] == "ask"], ["outside", "outside"])

    def test_a_reply_whose_record_is_lost_is_not_given_again(self):
        """A server that restarts may lose a model's answer that the mission's snapshot has: only its mark is left."""
        agent = self.agent_file(prompt="x", tools={"ask": {"signature": "() -> :int", "outside": True}},
                                replies=["(def a (tool/ask {}))", "(return (+ 100 a))"])
        self.submit(agent, "--id", "a")
        self.work()
        self.sql("UPDATE call SET answer = NULL WHERE kind = 'model'")
        self.check(ptcc("missions", "answer", "a", *self.at, "--result", "7"), 0, "", "")
        self.work()
        self.assertEqual((self.status(), self.results()), ({"a": "done"}, {"a": 107}))

    def test_an_error_from_outside_is_the_tools(self):
        agent = self.agent_file(prompt="x", tools={"ask": {"signature": "() -> :int", "outside": True}},
                                replies=["(return (try (tool/ask {}) (catch Exception e (ex-message e))))"])
        self.submit(agent, "--id", "a")
        self.work()
        self.check(ptcc("missions", "answer", "a", *self.at, "--error", "The line is dead."), 0, "", "")
        self.work()
        self.assertIn("The line is dead.", self.results()["a"])

    def test_a_retry_goes_on_with_the_same_answer(self):
        """Nobody is asked twice: what came is there, and the mission ends as it did."""
        agent = self.agent_file(prompt="x", tools={"ask": {"signature": "() -> :int", "outside": True}}, replies=["(return (tool/ask {}))"])
        self.submit(agent, "--id", "a")
        self.work()
        self.check(ptcc("missions", "answer", "a", *self.at, "--error", "The line is dead."), 0, "", "")
        self.work()
        self.assertEqual(self.mission("a")["status"], "failed")
        self.check(ptcc("missions", "retry", "a", *self.at), 0, "", "")
        self.work()
        self.assertEqual(self.mission("a")["status"], "failed")

    def test_a_time_ends_a_call(self):
        agent = self.agent_file(prompt="x", tools={"nap": {"signature": "() -> :any", "outside": True, "within_ms": 50}}, replies=["(return [(tool/nap {})])"])
        self.submit(agent, "--id", "a")
        self.assertEqual(sum(line["event"] == "waits" for line in self.work()), 1)
        self.assertEqual(self.results(), {"a": [None]})

    def test_a_tool_may_be_a_mission_of_its_own(self):
        triple = {"mission": {"prompt": "Triple {{n}}.", "signature": "(n :int) -> :int"}, "llm": [fenced("(return (* 3 data/n))")]}
        fails = {"mission": {"prompt": "x", "signature": "() -> :int"}, "llm": [fenced("(fail {:reason :no_data :message \"None.\"})")]}
        agent = self.agent_file(prompt="x", tools={"triple": triple, "fails": fails}, replies=[
            "(def three (pmap (fn [n] (tool/triple {:n n})) [1 2 3]))", "(return [three (try (tool/fails {}) (catch Exception e (ex-message e)))])"])
        self.submit(agent, "--id", "a", "--queue", "q", "--tenant", "t", "--priority", "7")
        folder = os.path.join(self.folder, "agents")
        os.mkdir(folder)
        os.rename(agent, os.path.join(folder, "agent.json"))
        self.work("--agents", folder) # it takes the agents of the tools, too
        three, why = self.results()["a"]
        self.assertEqual(three, [3, 6, 9])
        self.assertIn("The child mission failed: no_data: None.", why)
        children = self.missions("--parent", "a")
        self.assertEqual([(m["parent"], m["queue"], m["tenant"], m["priority"]) for m in children], [("a", "q", "t", 7)] * 4)
        self.assertEqual(sorted((m["agent"], m["status"]) for m in children), [("fails", "failed")] + [("triple", "done")] * 3)
        shown = json.loads(ptcc("missions", "show", "a", *self.at, "--json").stdout)
        self.assertEqual([c["id"] for c in shown["children"]], [m["id"] for m in children])
        self.assertEqual([c["key"] for c in shown["calls"] if c["kind"] == "child"], [m["id"] for m in children])
        text = ptcc("missions", "show", "a", *self.at).stdout
        self.assertIn(f"\nchild     {children[0]['id']} done\n", text)
        self.assertIn("\nparent    a\n", ptcc("missions", "show", children[0]["id"], *self.at).stdout)

    def test_what_is_wrong_is_told_before_it_is_stored(self):
        outside = {"signature": "() -> :int", "outside": True}
        inner = {"agent": {"prompt": "x", "signature": "() -> :int", "tools": {"t": {"signature": "() -> :int", "do": {"return": 1}}}}, "llm": ["x"]}
        for tools, part in (({"t": {**outside, "outside": 1}}, "outside"), ({"t": {**outside, "within_ms": "soon"}}, "within_ms"),
                            ({"t": {"mission": {"prompt": "x", "signature": "("}}}, "signature"), ({"t": {"mission": {"promt": "x"}}}, "promt"),
                            ({"t": outside, "inner": inner}, "two tools `t`")):
            self.check(ptcc("submit", *self.at, "--agent", self.agent_file(prompt="x", tools=tools, replies=["(return 1)"])), 2, "", part)

    def test_without_a_store_it_is_the_tools_error(self):
        agent = self.agent_file(prompt="x", tools={"t": {"signature": "() -> :int", "outside": True}})
        replies = self.file("replies.jsonl", script("(return (try (tool/t {}) (catch Exception e (ex-message e))))"))
        done = ptcc("agent", "--agent", agent, "--llm", "script:" + replies)
        self.check(done, 0)
        self.assertIn("ptcc submit", done.stdout)


class ElsewherePostgres(OnPostgres, Elsewhere):
    pass


class Readme(Stored):
    def test_the_commands_of_the_readme(self):
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
            block = file.read().split("## Many missions, many workers\n")[1].split("```sh\n")[1].split("\n```")[0]
        definition = f'ptcc() {{ "{ptcc_test.PTCC}" "$@"; }}\n'
        done = subprocess.run(["bash", "-ec", definition + block], cwd=self.folder, capture_output=True, text=True, timeout=SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"order-17 +done .* 17\n")


class Days(Stored):
    """The example of tools/README.md: a mission over days, carried by two workers, killed twice, with its page."""

    def test_an_order_over_days(self):
        world = os.path.join(self.folder, "world.db")
        gate = Gate(self)
        reserve = {"signature": "(order :string) -> :int", "cmd": "exec " + self.program("reserve.py", gate.stop + "\na['result'] = 3")}
        pay = {"signature": "(n :int) -> :int", "approval": True, "cmd": "exec " + self.program("pay.py", PAY % world + "\n" + gate.stop)}
        agent = self.agent_file("order", prompt="Carry out order {{order}}.", signature="(order :string) -> {paid :int}", tools={"reserve": reserve, "pay": pay},
                                replies=["(def parts (tool/reserve {:order data/order}))", "(return {:paid (tool/pay {:n parts})})"])
        self.submit(agent, "--id", "order-17", context={"order": "A-17"})
        traces = os.path.join(self.folder, "traces")
        os.mkdir(traces)

        def work(name):
            return self.worker("--name", name, "--lease-ms", "1000", "--poll-ms", "50", "--trace", traces)
        # Monday: Anna's machine goes down while the parts are reserved; Ben's reserves them, and asks.
        anna = work("anna")
        gate.wait_for(1)
        anna.kill()
        ben = work("ben")
        gate.wait_for(2)
        gate.open()
        wait_until(lambda: self.status() == {"order-17": "waiting"}, "the approval")
        # Nobody works until somebody says yes.
        ben.terminate()
        self.assertEqual(ben.wait(SECONDS), 0)
        self.assertEqual(self.mission("order-17")["waits_for"][0]["arguments"], {"n": 3})
        # Wednesday: the payment is approved, and Anna's machine goes down after it was made and before it was told.
        gate.shut()
        self.check(ptcc("missions", "approve", "order-17", *self.at), 0, "", "")
        anna = work("anna")
        gate.wait_for(3)
        anna.kill()
        gate.open()
        self.work("--lease-ms", "1000", "--trace", traces)
        self.assertEqual(self.results(), {"order-17": {"paid": 30}})
        with sqlite3.connect(world) as outside: # once, by its key
            self.assertEqual(outside.execute("SELECT count(*), sum(n) FROM effect").fetchone(), (1, 3))
        # Each claim has its part of the trace; what they have in common is told once more by who goes on.
        self.assertEqual(len(os.listdir(traces)), 4)
        last = max((os.path.join(traces, name) for name in os.listdir(traces)), key=os.path.getmtime)
        page = os.path.join(self.folder, "order-17.html")
        self.check(ptcc("trace", last, "--html", page), 0, err="")
        with open(page, encoding="utf-8") as html:
            text = html.read()
        self.assertIn("pay", text)
        self.assertIn("paid", text)


class Upgrade(Stored):
    def test_old_and_new_workers_side_by_side(self):
        folders = {}
        for version in ("old", "new"):
            folders[version] = os.path.join(self.folder, version)
            os.mkdir(folders[version])
            self.agent_file(version + "/agent", prompt=version, replies=["(def a 1)", f'(return "{version}")'])
        at = {version: os.path.join(folder, "agent.json") for version, folder in folders.items()}
        for n in range(6):
            for version in ("old", "new"):
                self.submit(at[version], "--id", f"{version}-{n}")
        # Alone, a worker leaves what is not its own.
        worker = self.worker("--agents", folders["new"])
        wait_until(lambda: sum(s == "done" for s in self.status().values()) == 6, "the new ones")
        self.assertEqual({m["id"].split("-")[0] for m in self.missions("--status", "ready")}, {"old"})
        self.work("--agents", folders["old"])
        self.assertEqual(self.results(), {f"{version}-{n}": version for n in range(6) for version in ("old", "new")})
        self.assertIsNone(worker.poll())
        self.check(ptcc("worker", *self.at, "--agents", self.folder + "/none"), 2, "", "none")

    def version(self, name, tool, replies):
        """A folder with an agent of the same name, and the arguments of a worker that knows it."""
        folder = os.path.join(self.folder, name)
        os.mkdir(folder)
        ask = {"signature": "() -> :string", "approval": True, "do": {"return": tool}}
        return folder, self.agent_file(name + "/clerk", prompt=name, tools={tool: ask}, replies=replies)

    def logged(self, log, event):
        with open(log, encoding="utf-8") as lines:
            return {line["mission"] for line in map(json.loads, lines) if line["event"] == event}

    def carry(self, name, *folders):
        log = open(os.path.join(self.folder, name + ".log"), "w", encoding="utf-8")
        self.addCleanup(log.close)
        worker = subprocess.Popen([ptcc_test.PTCC, "worker", *self.at, "--name", name, "--agents", ",".join(folders)], stderr=log)
        self.addCleanup(worker.wait)
        self.addCleanup(worker.kill)
        return worker, log.name

    def test_missions_that_one_version_began_are_carried_to_their_end(self):
        """Version 2 has another tool and another program: it could not go on with a mission of version 1."""
        one, one_file = self.version("one", "ask", ["(def began :one)", "(return [began (tool/ask {})])"])
        two, two_file = self.version("two", "request", ["(def started :two)", "(return [started (tool/request {}) :new])"])
        old, old_log = self.carry("old", one)
        for n in range(4):
            self.submit(one_file, "--id", f"one-{n}")
        wait_until(lambda: set(self.status().values()) == {"waiting"}, "what version 1 began")
        new, new_log = self.carry("new", one, two)
        for n in range(4):
            self.submit(two_file, "--id", f"two-{n}")
        wait_until(lambda: set(self.status().values()) == {"waiting"}, "what version 2 began")
        # Side by side: who may take it does.
        for name in ("one-0", "two-0"):
            self.check(ptcc("missions", "approve", name, *self.at), 0)
        wait_until(lambda: {self.status()[name] for name in ("one-0", "two-0")} == {"done"}, "one of each")
        # The old one goes. What it began is carried to its end by the one that knows both.
        old.send_signal(signal.SIGTERM)
        self.assertEqual(old.wait(SECONDS), 0)
        for name in self.status():
            if not name.endswith("-0"):
                self.check(ptcc("missions", "approve", name, *self.at), 0)
        wait_until(lambda: set(self.status().values()) == {"done"}, "all of them")
        self.assertEqual(self.results(), {f"one-{n}": ["one", "ask"] for n in range(4)} | {f"two-{n}": ["two", "request", "new"] for n in range(4)})
        self.assertEqual({name[:3] for name in self.logged(old_log, "claimed")}, {"one"})
        self.assertEqual({name for name in self.logged(new_log, "done") if name != "one-0"}, {f"one-{n}" for n in range(1, 4)} | {f"two-{n}" for n in range(4)})
        self.assertIsNone(new.poll())

    def test_what_the_old_version_began_waits_for_a_worker_that_knows_it(self):
        one, one_file = self.version("one", "ask", ["(def began :one)", "(return [began (tool/ask {})])"])
        two, two_file = self.version("two", "request", ["(return [(tool/request {})])"])
        self.submit(one_file, "--id", "one")
        self.work("--agents", one)
        self.check(ptcc("missions", "approve", "one", *self.at), 0)
        worker, log = self.carry("new", two) # whoever upgraded all workers at once
        self.submit(two_file, "--id", "two")
        wait_until(lambda: self.status() == {"one": "ready", "two": "waiting"}, "its own")
        self.work("--agents", one)
        self.assertEqual(self.mission("one")["result"], ["one", "ask"])
        self.assertEqual(self.logged(log, "claimed"), {"two"})
        self.assertIsNone(worker.poll())


class UpgradePostgres(OnPostgres, Upgrade):
    pass


class Serve(Stored):
    def test_firewalled_values_in_clear_are_warned_of(self):
        for signature, said in (("(_pin :string) -> :any", "will be in it in clear"), ("(pin :string) -> :any", "")):
            server = subprocess.Popen([ptcc_test.PTCC, "serve", "--port", "0", "--llm", "cmd:exec true", "--prompt", "x", "--signature", signature, *self.at],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.addCleanup(self.end, server)
            server.stdout.readline()
            server.terminate()
            warnings = server.communicate(timeout=SECONDS)[1]
            self.assertIn(said, warnings)
            self.assertEqual("in clear" in warnings, said != "")

    def test_a_served_agent_is_carried_by_workers(self):
        llm = "cmd:exec " + self.program("model.py", "a['text'] = '```clojure\\n(return %s)\\n```' % json.dumps('You said ' + r['messages'][-1]['content'])")
        server = subprocess.Popen([ptcc_test.PTCC, "serve", "--port", "0", "--llm", llm, "--prompt", "Be kind.", *self.at], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, server)
        port = int(re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)/v1\n", server.stdout.readline())[1])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        self.addCleanup(connection.close)
        body = {"model": "agent", "messages": [{"role": "user", "content": "hello"}]}
        connection.request("POST", "/v1/chat/completions", json.dumps(body))
        wait_until(lambda: list(self.status().values()) == ["ready"], "the mission")
        self.worker("--quiet")
        answer = json.loads(connection.getresponse().read())
        self.assertEqual(answer["choices"][0]["message"]["content"], "You said hello")
        self.assertEqual(list(self.status().values()), ["done"])

    def test_who_waits_when_it_stops_is_told_what_goes_on(self):
        server = subprocess.Popen([ptcc_test.PTCC, "serve", "--port", "0", "--llm", "cmd:exec " + self.program("model.py", ""), "--grace-ms", "1500", *self.at],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, server)
        port = int(re.search(r":(\d+)/v1\n", server.stdout.readline())[1])
        waiting = []
        for stream in (False, True):
            waiting.append(http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS))
            self.addCleanup(waiting[-1].close)
            body = {"model": "agent", "stream": stream, "messages": [{"role": "user", "content": "hello"}]}
            waiting[-1].request("POST", "/v1/chat/completions", json.dumps(body))
        wait_until(lambda: list(self.status().values()) == ["ready"] * 2, "the missions")
        server.send_signal(signal.SIGTERM)
        named = set()
        for connection in waiting:
            answer = connection.getresponse()
            error = json.loads(answer.read())["error"]
            self.assertEqual((answer.status, error["code"]), (503, "mission_goes_on"))
            self.assertIn(f"ptcc missions show {answer.headers['x-request-id']}", error["message"])
            named.add(answer.headers["x-request-id"])
        self.assertEqual(server.wait(SECONDS), 0)
        self.assertEqual(named, set(self.status()))
        self.assertEqual(list(self.status().values()), ["ready"] * 2)


if __name__ == "__main__":
    ptcc_test.PTCC = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
