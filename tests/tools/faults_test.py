#!/usr/bin/env python3
"""What the machine around ptcc does wrong: faults_test.py PTCC [unittest's arguments].

Disks that are full (a limit of the size of files, which fails writes in the same way), descriptors that run out, pipes that close at either
end, signals in the middle of a mission, a clock of the wall that jumps. Whatever happens, ptcc ends with a result or a sentence, loses no
mission that it said it keeps, and lets no keyed effect happen twice."""
import json
import os
import resource
import signal
import subprocess
import sys
import unittest

import agent_test
import ptcc_test
from agent_test import Agents, is_alive
from ptcc_test import SECONDS, ptcc
from waiting import wait_until

# Works once for each key: what it does is a line in the log.
PAY = """log = %r
done = open(log).read().split() if os.path.exists(log) else []
key = str(r.get("key", r["id"]))
if key not in done:
    with open(log, "a") as out: out.write(key + "\\n")
%s
a["result"] = {"paid": r["arguments"]["n"]}"""


class Payments(Agents):
    """A mission of three calls whose effects are counted."""

    def setUp(self):
        super().setUp()
        self.log = os.path.join(self.folder, "log")
        self.db = os.path.join(self.folder, "mission.db")

    def clear(self):
        for name in os.listdir(self.folder):
            os.remove(os.path.join(self.folder, name))

    def pay(self, *arguments, then="", **options):
        """`then` is what the tool does besides, a line of Python."""
        tool = {"signature": "(n :int) -> :map", "cmd": "exec " + self.program("pay.py", PAY % (self.log, then))}
        replies = ["(def paid (mapv (fn [n] (tool/pay {:n n})) [1 2 3]))", "(return (map :paid paid))"]
        return self.agent("--prompt", "Pay.", "--tools", self.tools(pay=tool), *arguments, replies=replies, **options)

    def effects(self):
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as lines:
            return lines.read().split()

    def ends_well(self, done):
        """With a result, or with what went wrong as a sentence."""
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        if done.returncode == 0:
            self.assertEqual(done.stdout, "[1,2,3]\n")
        else:
            self.assertNotEqual(done.stderr, "")

    def resumed(self):
        """Goes on with what the file holds, if it holds a mission; then every effect has happened, once."""
        done = ptcc("agent", "--resume", self.db)
        if "has no mission" in done.stderr:
            self.assertEqual((done.returncode, self.effects()), (2, []))
            return False
        self.check(done, 0, "[1,2,3]\n", "")
        self.assertEqual(len(self.effects()), 3)
        self.assertEqual(len(set(self.effects())), 3)
        return True


def files_of_at_most(size):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a full disk fails the write and sends no signal
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


class FullDisk(Payments):
    SIZES = (0, 1, 100, 1000, 4096, 10000, 16384, 24000, 32768, 50000, 70000, 100000, 150000, 300000)

    def test_a_checkpointed_mission_goes_on_when_there_is_room(self):
        went_on = 0
        for size in self.SIZES:
            with self.subTest(size=size):
                self.clear()
                done = self.pay("--checkpoint", self.db, preexec_fn=files_of_at_most(size))
                self.ends_well(done)
                if done.returncode != 0:
                    self.assertIn("cannot be used", done.stderr)
                    went_on += os.path.exists(self.db) and self.resumed()
        self.assertGreater(went_on, 0)  # at some size it was cut off in the middle

    def test_traces_and_recordings_say_that_they_are_not_whole(self):
        for option, what in (("--trace", "Cannot write the trace"), ("--record", "Cannot write the recording")):
            ends = set()
            for size in self.SIZES:
                with self.subTest(option=option, size=size):
                    self.clear()
                    done = self.pay(option, os.path.join(self.folder, "out"), preexec_fn=files_of_at_most(size))
                    self.ends_well(done)
                    ends.add(done.returncode)
                    if done.returncode != 0:
                        self.assertEqual(done.returncode, 2)
                        self.assertIn(what, done.stderr)
            self.assertEqual(ends, {0, 2})

    def test_files_that_are_replaced_stay_as_they_were(self):
        old = "(+  1 2)\n" * 400
        for command in (("fmt", "--write"), ("build", "-o")):
            source = self.file("a.ptc", old)
            target = self.file("old.ptcb", "old") if command[0] == "build" else source
            arguments = ("build", source, "-o", target) if command[0] == "build" else ("fmt", "--write", source)
            done = ptcc(*arguments, preexec_fn=files_of_at_most(64))
            with self.subTest(command=command[0]):
                self.assertEqual(done.returncode, 2, done.stderr)
                with open(target, encoding="utf-8") as file:
                    self.assertEqual(file.read(), "old" if command[0] == "build" else old)
                self.assertEqual(sorted(os.listdir(self.folder)), sorted({"a.ptc", os.path.basename(target)} | ({"old.ptcb"} & set(os.listdir(self.folder)))))


class Memory(Payments):
    """The system has less than programs may take."""

    def test_a_program_ends_with_an_error_and_the_next_one_runs(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))
        objects = "(count (loop [i 0 v []] (if (< i 4000000) (recur (inc i) (conj v (str i \"" + 90 * "x" + "\"))) v)))"
        blocks = "(count (apply str (repeat 600 (apply str (repeat 1000000 \"x\")))))"
        for program in (objects, blocks):
            rows = "".join(json.dumps({"id": i, "src": source}) + "\n" for i, source in enumerate(("(+ 1 2)", program, "(+ 3 4)")))
            with self.subTest(program=program[:20]):
                done = ptcc("eval", "--batch", "--heap-bytes", "2000000000", "--fuel", "9000000000", stdin=rows, preexec_fn=limit)
                answers = [json.loads(line) for line in done.stdout.splitlines()]
                self.assertEqual([answer["outcome"] for answer in answers], ["ok", "error", "ok"], done.stdout + done.stderr)
                self.assertEqual(answers[1]["error"]["reason"], "memory_exceeded")
                self.assertIn("The system has no more memory", answers[1]["error"]["message"])


class Descriptors(Payments):
    def test_too_few_of_them_are_an_error_with_a_sentence(self):
        ends = set()
        for count in list(range(4, 24)) + [64]:
            with self.subTest(count=count):
                self.clear()
                limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))
                done = self.pay("--checkpoint", self.db, preexec_fn=limit)
                # A program that cannot be loaded at all says so by itself, with another code.
                if done.returncode == 127:
                    self.assertIn("error while loading shared libraries", done.stderr)
                    continue
                self.ends_well(done)
                ends.add(done.returncode)
                if done.returncode != 0 and os.path.exists(self.db):
                    ptcc("agent", "--resume", self.db)
                self.assertEqual(len(self.effects()), len(set(self.effects())))
        self.assertIn(0, ends)


class Pipes(Payments):
    def test_closed_streams(self):
        program = self.file("a.ptc", "(do (println (range 100)) 1)")
        commands = {"eval": "eval 1", "run": f"run {program}", "check": f"check {program}", "fmt": f"fmt {program}", "explain": f"explain {program}"}
        for name, command in commands.items():
            for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
                with self.subTest(command=name, closed=closed):
                    done = subprocess.run(f'"{ptcc_test.PTCC}" {command} {closed}', shell=True, capture_output=True, timeout=SECONDS, check=False)
                    self.assertIn(done.returncode, (0, 1, 2), done.stderr)
                    prints = name in ("eval", "run", "explain")  # the other two have nothing to say
                    self.assertEqual(done.returncode, 2 if prints and ">&-" in closed.replace("2>&-", "") else 0)

    def test_a_reader_that_leaves_ends_a_batch(self):
        for lines in (0, 1, 3):
            with self.subTest(lines=lines):
                requests = self.file("requests.jsonl", '{"program": "(apply str (repeat 5000 1))"}\n' * 2000)
                command = f'"{ptcc_test.PTCC}" eval --batch < {requests} | head -n {lines} | wc -l; echo "${{PIPESTATUS[0]}}"'
                done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=SECONDS, check=True, text=True)
                self.assertEqual(done.stdout.split(), [str(lines), "2"], done.stderr)

    def test_tools_that_hang_up(self):
        for then in ("sys.exit(0)", "os._exit(9)", "sys.stdout.close(); sys.exit(0)", "os.close(1)", "os.close(0)",
                     "os.kill(os.getpid(), 11)", "print('{', flush=True); sys.exit(0)", "sys.stdout.write('{\"id\"'); sys.stdout.flush(); os._exit(0)"):
            with self.subTest(then=then):
                self.clear()
                done = self.pay(then=then)
                self.ends_well(done)

    def test_models_that_hang_up(self):
        for body in ("sys.exit(0)", "os._exit(9)", "os.close(1)", "os.close(0)", "os.kill(os.getpid(), 11)", "print('{', flush=True); sys.exit(0)"):
            with self.subTest(body=body):
                done = self.agent("--prompt", "x", "--llm", "cmd:exec " + self.program("model.py", body))
                self.assertEqual(done.returncode, 1 if done.returncode != 2 else 2, done.stderr)
                self.assertNotEqual(done.stderr, "")


class Signals(Payments):
    def ended_by(self, sent, at, then):
        """The mission, and the tool that sent it a signal when it was called the `at`th time."""
        self.clear()
        pid_file = os.path.join(self.folder, "pid")
        done = self.pay("--checkpoint", self.db, then=f"""if len(open(log).read().split()) == {at} and not os.path.exists({pid_file!r}):
    open({pid_file!r}, "w").write(str(os.getpid()))
    os.kill(os.getppid(), {int(sent)})
    {then}""")
        with open(pid_file, encoding="utf-8") as file:
            return done, int(file.read())

    def test_a_signal_that_ends_a_mission_ends_its_tools_and_the_mission_goes_on(self):
        for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for at in (1, 3):
                with self.subTest(sent=sent.name, at=at):
                    done, tool = self.ended_by(sent, at, "__import__('signal').pause()")  # in the middle of its work
                    self.assertEqual(done.returncode, -sent, done.stderr)
                    wait_until(lambda: not is_alive(tool), "the end of the tool")
                    self.assertTrue(self.resumed())

    def test_a_mission_that_ends_at_once_goes_on(self):
        for sent in (signal.SIGKILL, signal.SIGUSR1, signal.SIGALRM):
            for at in (1, 2, 3):
                with self.subTest(sent=sent.name, at=at):
                    done, tool = self.ended_by(sent, at, "pass")
                    self.assertEqual(done.returncode, -sent, done.stderr)
                    wait_until(lambda: not is_alive(tool), "the end of the tool, whose input has ended")
                    self.assertTrue(self.resumed())

    def test_a_mission_that_ignores_a_signal_goes_on(self):
        ignore = lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
        self.check(self.pay(then="os.kill(os.getppid(), 1)", preexec_fn=ignore), 0, "[1,2,3]\n", "")

    def test_a_mission_that_is_stopped_for_a_while_goes_on(self):
        # The tool lets it on once it is stopped, as its state in /proc shows.
        then = """p = os.getppid()
os.kill(p, 19)
while open(f"/proc/{p}/stat").read().rsplit(")", 1)[1].split()[0] != "T": pass
os.kill(p, 18)"""
        self.check(self.pay(then=then), 0, "[1,2,3]\n", "")


class Clock(Payments):
    """JUMPING_CLOCK is a library whose clock of the wall jumps by years, back and forth, each time that it is read."""

    @unittest.skipUnless(os.environ.get("JUMPING_CLOCK"), "sanitizers have to be loaded first")
    def test_nothing_depends_on_the_clock_of_the_wall(self):
        env = {**os.environ, "LD_PRELOAD": os.environ["JUMPING_CLOCK"]}
        shown = ptcc("eval", '[(.getTime (java.util.Date.)) (.getTime (java.util.Date.))]', env=env)
        self.check(shown, 0)
        before, after = json.loads(shown.stdout.replace(" ", ","))
        self.assertGreater(abs(after - before), 10**9, "the library does not work")
        trace = os.path.join(self.folder, "t.jsonl")
        for options in (("--trace", trace), ("--record", os.path.join(self.folder, "r.ptcr")), ("--checkpoint", self.db)):
            with self.subTest(options=options[0]):
                if os.path.exists(self.log):
                    os.remove(self.log)
                self.check(self.pay(*options, env=env), 0, "[1,2,3]\n", "")
        self.check(ptcc("trace", trace, env=env), 0, err="")
        self.check(ptcc("agent", "--replay", os.path.join(self.folder, "r.ptcr"), env=env), 0, "[1,2,3]\n", "")
        self.check(ptcc("agent", "--resume", self.db, env=env), 0, "[1,2,3]\n", "")
        self.assertEqual(ptcc("eval", "--timeout-ms", "50", "(loop [] (recur))", env=env).returncode, 1)


if __name__ == "__main__":
    ptcc_test.PTCC = agent_test.PTCC = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
