#!/usr/bin/env python3
"""Missions that are kept, repeated and compared: recording_test.py PTCC [unittest's arguments]."""
import json
import os
import re
import signal
import stat
import subprocess
import sys
import unittest

import ptcc_test
from agent_test import Agents, fenced
from ptcc_test import ptcc
from waiting import Gate, wait_until

TIMES = re.compile(r'"(?:duration_us|time)":(?:\d+|"[^"]*"),?')


class Recordings(Agents):
    def setUp(self):
        super().setUp()
        self.record = os.path.join(self.folder, "m.rec")

    def recorded(self, *arguments, replies=(), code=0, **options):
        done = self.agent("--record", self.record, *arguments, replies=replies, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def lines(self):
        with open(self.record, encoding="utf-8") as file:
            return file.read().splitlines()

    def text(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def events(self, name):
        return TIMES.sub("", self.text(name))


class Record(Recordings):
    def test_a_replay_needs_nothing_but_the_file_and_tells_the_same(self):
        count = os.path.join(self.folder, "count")
        model = self.program("model.py", "open(%r, 'a').write('m')\na['text'] = %r if r['turn'] == 1 else %r" % (
            count, fenced("(def v (tool/look {:id 7}))"), fenced("(return {:v v :n data/n})")))
        tool = self.program("tool.py", "open(%r, 'a').write('t')\na['result'] = {'got': r['arguments']['id'] * 6}" % count)
        prelude = self.file("p.ptc", '(ns help "Helps." {:visibility :prompt})\n(def one "One." 1)\n')
        done = self.recorded("--prompt", "Look at {{n}}.", "--signature", "(n :int) -> {v {got :int}, n :int}", "--data",
                             "n=" + self.file("n.json", "20"), "--tools", self.tools(look={"signature": "(id :int) -> :map", "cmd": tool}),
                             "--prelude", prelude, "--llm", "cmd:" + model, "--step", "--trace", os.path.join(self.folder, "a.jsonl"))
        self.assertEqual(self.text("count"), "mtm")
        for name in ("n.json", "tools.json", "p.ptc", "model.py", "tool.py"):
            os.remove(os.path.join(self.folder, name))
        again = ptcc("agent", "--replay", self.record, "--step", "--trace", os.path.join(self.folder, "b.jsonl"))
        self.check(again, 0, err="")
        self.assertEqual(self.text("count"), "mtm")
        self.assertEqual(TIMES.sub("", again.stdout), TIMES.sub("", done.stdout))
        self.assertEqual(self.events("a.jsonl"), self.events("b.jsonl"))

    def test_it_is_private_and_has_no_commands(self):
        secret = self.program("tool.py", "a['result'] = 1") + " --token=hunter2"
        self.recorded("--prompt", "x", "--tools", self.tools(
            t={"signature": "() -> :int", "cmd": secret}, child={"agent": {"prompt": "y", "tools": {"u": {"cmd": secret, "signature": "() -> :int"}}}}),
            replies=["(return (tool/t))"])
        self.assertEqual(stat.S_IMODE(os.stat(self.record).st_mode), 0o600)
        self.assertNotIn("hunter2", "\n".join(self.lines()))
        self.check(ptcc("agent", "--replay", self.record), 0, "1\n", "")

    def test_a_file_cannot_ask_for_limits_that_never_end(self):
        self.recorded("--prompt", "x", replies=["(return 1)"])
        for name, value in (("fuel", 2 ** 61 - 1), ("heap_bytes", 2 ** 61 - 1), ("max_depth", 2 ** 32 - 1)):
            line = re.sub('"%s":\\d+' % name, '"%s":%d' % (name, value), self.lines()[0])
            hostile = self.file("hostile.rec", "\n".join([line, *self.lines()[1:]]) + "\n")
            done = ptcc("agent", "--replay", hostile)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn("more fuel, memory or depth", done.stderr)

    def endless(self):
        """The file of a recording whose program has fuel for minutes."""
        self.recorded("--prompt", "x", "--timeout-ms", "20", "--fuel", "99000000000", replies=["(loop [i 0] (recur (inc i)))", "(return 1)"])
        text, changed = re.subn(r'"timeouts":\[\[1,', '"timeouts":[[9,', "\n".join(self.lines()))
        self.assertEqual(changed, 1)
        return self.file("endless.rec", text + "\n")

    def test_a_trace_ends_with_its_time_whatever_a_recording_has_for_its_programs(self):
        for arguments in (["trace", self.endless()], ["trace", "diff", self.record, self.endless()]):
            self.check(ptcc(*arguments, "--timeout-ms", "300"), 2, "", "Reading and showing took longer than 300 ms")

    def test_a_signal_ends_a_replay(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([ptcc_test.PTCC, "agent", "--replay", self.endless(), "--verbose"], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            process.stderr.readline() # the mission has begun
            process.send_signal(number)
            _, err = process.communicate(timeout=ptcc_test.SECONDS)
            self.assertEqual(process.returncode, -number, err)
            self.assertIn("The replay was stopped.", err)

    def test_a_program_that_timed_out_in_branches_ends_in_its_replay(self):
        self.recorded("--prompt", "x", "--timeout-ms", "60", "--fuel", "50000000000",
                      replies=["(pmap (fn [k] (loop [i 0] (recur (+ i k)))) [1 2 3 4])", "(return 1)"])
        self.check(ptcc("agent", "--replay", self.record), 0, "1\n", "")

    def test_a_failed_mission_fails_again(self):
        self.recorded("--prompt", "x", replies=["(fail {:reason :no_data})"], code=1)
        self.check(ptcc("agent", "--replay", self.record), 1, "", "no_data")

    def test_agents_side_by_side_with_retries(self):
        child = {"agent": {"prompt": "Find {{x}}.", "signature": "(x :int) -> :int"}, "llm": "worker"}
        worker = self.program("worker.py", """if r['attempt'] == 1 and r['turn'] == 2: a['error'] = {'kind': 'rate_limit', 'retry_after_ms': 5}
else: a['text'] = %r if r['turn'] == 1 else %r""" % (fenced("(def got (* 10 data/x))"), fenced("(return got)")))
        done = self.recorded("--prompt", "x", "--tools", self.tools(child=child), "--model", "worker=cmd:" + worker, "--step",
                             replies=["(return (pmap #(tool/child {:x %}) [1 2 3]))"])
        self.assertEqual(json.loads(done.stdout)["return"], [10, 20, 30])
        again = ptcc("agent", "--replay", self.record, "--step")
        self.assertEqual(TIMES.sub("", again.stdout), TIMES.sub("", done.stdout))

    def test_another_agent_on_the_command_line_is_compared(self):
        self.recorded("--prompt", "Count to 3.", replies=["(return 3)"])
        same = ptcc("agent", "--replay", self.record, "--prompt", "Count to 3.")
        self.check(same, 0, "3\n", "")
        other = ptcc("agent", "--replay", self.record, "--prompt", "Count to 4.")
        self.check(other, 1, "", "call 1, to the model by the agent `agent` (run 1, turn 1, attempt 1): `messages[0].content` was \"Count to 3.\"")

    def test_a_killed_mission_is_there_until_it_was_killed(self):
        gate = Gate(self)
        model = self.program("model.py", "if r['turn'] == 2:\n    %s\na['text'] = %r" % (gate.stop, fenced("(+ 1 2)")))
        process = subprocess.Popen([ptcc_test.PTCC, *ptcc_test.patient("agent", "--record", self.record, "--prompt", "x", "--llm", "cmd:exec " + model)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        gate.wait_for(1)
        wait_until(lambda: any('"call":2' in line for line in self.lines()), "the line of call 2")
        process.kill()
        process.wait(ptcc_test.SECONDS)
        self.check(ptcc("agent", "--replay", self.record), 1, "", "The recording ends before the mission does; the first call without an answer is call 2")
        self.check(ptcc("trace", self.record), 0, err="")

    def test_what_cannot_be_replayed_or_recorded_exits_2(self):
        for text in ("", "{}\n", '{"ptc_recording":1,"started_ms":1,"note":{}}\n', '{"ptc_recording":9}\n',
                     '{"ptc_recording":1,"started_ms":1,"note":{"ptcc":"1","agent":{"tools":{"a":{"agent":{"prompt":"x"},"llm":7}}},"limits":{},"data":{}}}\n',
                     '{"ptc_recording":1,"started_ms":1,"note":{"ptcc":"1","agent":{"prompt":"x"},"limits":7,"data":{}}}\n'):
            self.check(ptcc("agent", "--replay", self.file("bad.rec", text)), 2, "")
        self.check(ptcc("agent", "--replay", "/nowhere.rec"), 2, "", "/nowhere.rec")
        self.check(self.agent("--prompt", "x", "--record", "/nowhere/m.rec", replies=["1"]), 2, "", "/nowhere/m.rec")
        self.check(self.agent("--prompt", "x", "--record", self.record, "--resume", "x.db", replies=["1"]), 2, "")


class Diff(Recordings):
    def traced(self, name, *arguments, replies):
        path = os.path.join(self.folder, name)
        self.agent("--trace", path, "--prompt", "x", *arguments, replies=replies)
        return path

    def diff(self, a, b, *arguments):
        done = ptcc("trace", "diff", a, b, "--format", "json", *arguments)
        return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr

    def test_the_same_program_twice_is_the_same(self):
        a, b = (self.traced(name, replies=["(+ 1 2)", "(return 4)"]) for name in ("a.jsonl", "b.jsonl"))
        code, told = self.diff(a, b)
        self.assertEqual((code, told["same"], told["runs"]), (0, True, 1))
        self.assertGreater(told["same_events"], 8)
        self.check(ptcc("trace", "diff", a, b), 0, f"Both are the same: {told['same_events']} events of 1 agent at work.\n", "")

    def test_the_first_event_that_differs_is_shown_from_both_sides(self):
        a = self.traced("a.jsonl", replies=["(+ 1 2)", "(return 4)"])
        b = self.traced("b.jsonl", replies=["(+ 1 2)", "(return 5)"])
        code, told = self.diff(a, b)
        self.assertEqual((code, told["same"], told["agent"], told["turn"], told["member"]), (1, False, "agent", 2, "text"))
        self.assertEqual(told["a"]["event"], "llm_reply")
        self.assertIn("return 4", told["a"]["shown"])
        self.assertIn("return 5", told["b"]["shown"])
        with open(a, encoding="utf-8") as lines:
            self.assertIn("return 4", lines.read().splitlines()[told["a"]["line"] - 1])
        done = ptcc("trace", "diff", a, b)
        self.check(done, 1, err="")
        self.assertIn("They part at agent `agent` (run 1 of A, run 1 of B), turn 2: llm_reply, `text`", done.stdout)

    def test_one_that_goes_on_where_the_other_ends(self):
        a = self.traced("a.jsonl", replies=["(+ 1 2)", "(return 4)"])
        with open(a, encoding="utf-8") as file:
            lines = file.read().splitlines(keepends=True)
        code, told = self.diff(a, self.file("b.jsonl", "".join(lines[:5])))
        self.assertEqual((code, told["same_events"], told["b"]), (1, 5, None))

    def test_agents_side_by_side_are_compared_one_by_one(self):
        child = {"agent": {"prompt": "Find {{x}}.", "signature": "(x :int) -> :int"}, "llm": "worker"}
        paths = []
        for name, slow in (("a.jsonl", 1), ("b.jsonl", 2), ("c.jsonl", 2)):
            # The slow one has its first reply once the quick one asks for its second: whoever opens a pipe waits for the other end.
            pipe = os.path.join(self.folder, name + ".pipe")
            os.mkfifo(pipe)
            worker = self.program(name + ".py", """x = int(r['messages'][0]['content'][5:6])
if x == %d and r['turn'] == 1: open(%r).close()
if x != %d and r['turn'] == 2: open(%r, 'w').close()
a['text'] = %r if r['turn'] == 1 else '```clojure\\n(return %%d)\\n```' %% (%d * x)""" % (
                slow, pipe, slow, pipe, fenced("1"), 10 if name != "c.jsonl" else 11))
            # A process a child: both are at work at the same time.
            tools = self.tools(one=dict(child), two=dict(child, llm="second"))
            paths.append(self.traced(name, "--tools", tools, "--model", "worker=cmd:" + worker, "--model", "second=cmd:" + worker,
                                     replies=["(return (pcalls #(tool/one {:x 1}) #(tool/two {:x 2})))"]))
        a, b, c = paths
        order = [[(e["run"], e["event"]) for e in map(json.loads, self.text(path).splitlines())] for path in (a, b)]
        self.assertNotEqual(order[0], order[1])
        self.assertEqual(self.diff(a, b)[0], 0)
        code, told = self.diff(b, c)
        self.assertEqual((code, told["agent"], told["turn"], told["member"], told["a"]["event"]), (1, "one", 2, "text", "llm_reply"))

    def test_recordings_are_compared_and_shown_too(self):
        self.recorded("--prompt", "x", replies=["(return 4)"])
        trace = self.traced("a.jsonl", replies=["(return 4)"])
        self.assertEqual(self.diff(self.record, trace)[0], 0)
        self.assertEqual(ptcc("trace", self.record).stdout.splitlines()[0], ptcc("trace", trace).stdout.splitlines()[0])
        page = os.path.join(self.folder, "page.html")
        self.check(ptcc("trace", self.record, "--html", page), 0, "", "")
        self.assertTrue(os.path.getsize(page))

    def test_what_cannot_be_read_exits_2(self):
        good = self.traced("a.jsonl", replies=["(return 4)"])
        for bad in ("/nowhere", self.file("bad", "7\n"), self.file("bad.rec", '{"ptc_recording":1}\n')):
            self.assertEqual(self.diff(good, bad)[0], 2)
            self.assertEqual(self.diff(bad, good)[0], 2)
        self.check(ptcc("trace"), 2, "", "FILE is required")
        self.check(ptcc("trace", "diff", good), 2, "")

    def test_a_trace_called_diff_is_still_shown(self):
        path = self.traced("diff", replies=["(return 4)"])
        self.check(ptcc("trace", path), 0, err="")
        self.check(ptcc("trace", "./diff", cwd=self.folder), 0, err="")

    def test_deep_and_wide_traces_written_by_hand(self):
        start = '{"event":"mission_start","run":%d,"parent":%d,"agent":"a"}\n'
        deep = self.file("deep", "".join(start % (n, n - 1) for n in range(1, 20001)))
        code, told = self.diff(deep, deep)
        self.assertEqual((code, told["runs"]), (0, 20000))
        wide = self.file("wide", '{"event":"mission_start","run":1,"agent":"a",' + ",".join(f'"m{n}":{n}' for n in range(50000)) + "}\n")
        self.assertEqual(self.diff(wide, wide)[0], 0)


if __name__ == "__main__":
    ptcc_test.PTCC = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
