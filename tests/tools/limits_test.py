#!/usr/bin/env python3
"""Every limit of a run at its edge and one beyond it: limits_test.py PTCC [unittest's arguments].

A row has a program, a limit, and the most (or least) that still works; one beyond, the answer is an error of the limit's own reason. The
process answers the next request as if nothing had happened, with the fuel and bytes that it always takes, and its own memory comes back.
Commands have limits of their own, and end with a message and their exit code. (tools/run_limits_test.cpp and text_limits_test.cpp have the
limits inside of the library.)
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import ptcc_test

NEXT = {"id": "next", "src": "(reduce + (map inc (range 100)))"}


def nested(levels):
    return "[" * levels + "]" * levels


def names(count):
    return "(do " + " ".join(f"(def n{i} {i % 10})" for i in range(count)) + " 1)"


def spaces(size):
    return "1" + " " * (size - 1)


class Limits(unittest.TestCase):
    def answers(self, *requests):
        text = "".join(json.dumps({"id": 0, **r}) + "\n" for r in requests)
        done = subprocess.run([ptcc_test.PTCC, "eval", "--batch", "--test-tools", "--timeout-ms", "240000"], input=text, capture_output=True, text=True,
                              check=True, timeout=ptcc_test.SECONDS)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        for answer in answers:
            del answer["usage"]["duration_us"]
        return answers

    def check_edge(self, within, beyond, reason):
        """The one request works, the other is refused for `reason`, and neither leaves a trace."""
        alone, = self.answers(NEXT)
        good, bad, after = self.answers(within, beyond, NEXT)
        self.assertNotIn("error", good, within["src"][:100])
        self.assertEqual(bad.get("error", {}).get("reason"), reason, beyond["src"][:100])
        self.assertEqual(after, alone)

    def limited(self, name, src, most, reason, **more):
        self.check_edge({"src": src, "limits": {name: most}, **more}, {"src": src, "limits": {name: most - 1}, **more}, reason)

    def test_fuel_is_exact(self):
        for src in ("(reduce + (range 1000))", "(sort (map - (range 500)))", '(re-seq #"a+" (apply str (repeat 500 "ab")))',
                    "(try (throw (ex-info \"x\" {})) (catch Exception e 1))", "(pmap inc (range 50))", "(json/generate-string (range 300))"):
            with self.subTest(src):
                used = self.answers({"src": src})[0]["usage"]["fuel"]
                self.limited("fuel", src, used, "fuel_exhausted")

    def test_bytes_are_exact(self):
        for src in ("(count (vec (range 10000)))", "(count (apply str (repeat 1000 \"text\")))", "(count (group-by odd? (range 1000)))",
                    "(count (sort (map - (range 500))))"):
            with self.subTest(src):
                peak = self.answers({"src": src})[0]["usage"]["peak_heap_bytes"]
                self.limited("heap_bytes", src, peak, "memory_exceeded")

    def test_depth(self):
        self.limited("max_depth", "(defn f [n] (if (= n 0) 0 (inc (f (dec n))))) (f 50)", 51, "depth_exceeded")

    def test_loop_iterations(self):
        self.limited("max_loop_iterations", "(loop [i 0] (if (< i 20) (recur (inc i)) i))", 20, "loop_limit_exceeded")

    def test_tool_calls(self):
        self.limited("max_tool_calls", "(mapv (fn [i] (tool/add {:x i :y 1})) (range 5))", 5, "tool_calls_exceeded")

    def test_digits(self):
        for src in ("(bigint data/n)", "(json/parse-string data/n)", "(BigInteger. data/n)"):
            with self.subTest(src):
                self.limited("max_digits", src, 30, "limit_exceeded", context={"n": "9" * 30})
        good, bad = self.raw('{"id":0,"src":"1","context":{"n":%s}}' % ("9" * 10_000), '{"id":0,"src":"1","context":{"n":%s}}' % ("9" * 10_001))
        self.assertEqual((good["outcome"], bad["error"]["reason"]), ("ok", "limit_exceeded"))

    def raw(self, *lines):
        done = subprocess.run([ptcc_test.PTCC, "eval", "--batch"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_sources(self):
        self.check_edge({"src": spaces(1 << 20)}, {"src": spaces((1 << 20) + 1)}, "parse_error")
        self.check_edge({"src": nested(512)}, {"src": nested(513)}, "parse_error")
        self.check_edge({"src": names(20_000)}, {"src": names(20_001)}, "limit_exceeded")
        self.check_edge({"src": "9" * 100}, {"src": "9" * 101}, "parse_error")

    def test_data(self):
        deep = "[" * 512 + "]" * 512
        good, bad = self.raw('{"id":0,"src":"1","context":{"n":%s}}' % deep[2:-2], '{"id":0,"src":"1","context":{"n":[%s]}}' % deep)
        self.assertEqual(good["outcome"], "ok")
        self.assertEqual(bad["outcome"], "error")

    def test_results(self):
        text = '(loop [s "x" n 1] (if (< n %d) (recur (str s s) (* 2 n)) (subs s 0 %d)))'
        self.check_edge({"src": text % (16 << 20, (16 << 20) - 2)}, {"src": text % (16 << 20, (16 << 20) - 1)}, "limit_exceeded")

    def test_memory_comes_back(self):
        """What 60 requests at the edge and beyond it took is not kept: the process is as large as after the first few."""
        if ptcc_test.is_sanitized():
            self.skipTest("the address sanitizer keeps what was freed")
        large = "(count (vec (range 100000)))"
        requests = [{"src": large}, {"src": large, "limits": {"heap_bytes": 1_000_000}}, {"src": large, "limits": {"fuel": 50_000}},
                    {"src": names(5_000)}, {"src": nested(512)}, {"src": nested(513)}, {"src": spaces(1 << 20)}, {"src": spaces((1 << 20) + 1)},
                    {"src": "data/n", "context": {"n": [list(range(50_000))]}}, {"src": "(defn f [n] (inc (f n))) (f 1)"},
                    {"src": "(apply str (repeat 100000 \"text\"))"}, {"src": '(re-seq #"a+" (apply str (repeat 10000 "ab")))'}]
        process = subprocess.Popen([ptcc_test.PTCC, "eval", "--batch", "--timeout-ms", "240000"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdin.close)

        def resident():
            for request in requests:
                process.stdin.write(json.dumps({"id": 0, **request}) + "\n")
                process.stdin.flush()
                self.assertIn("outcome", json.loads(process.stdout.readline()))
            with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
                return int(re.search(r"VmRSS:\s+(\d+) kB", status.read())[1]) >> 10

        sizes = [resident() for _ in range(4)]
        self.assertLess(sizes[-1] - sizes[1], 16, sizes)


class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = folder.name + "/"

    def run_on(self, text, *command):
        with open(self.path + "p.ptc", "w", encoding="utf-8") as file:
            file.write(text)
        return subprocess.run([ptcc_test.PTCC, *ptcc_test.patient(*command), self.path + "p.ptc"], capture_output=True, text=True,
                              timeout=ptcc_test.SECONDS)

    def test_sources(self):
        commands = (["check"], ["explain"], ["run"], ["disasm"], ["fmt", "--check"], ["build", "-o", self.path + "p.ptcb"])
        for command in commands:
            for good, bad in ((spaces(1 << 20), spaces((1 << 20) + 1)), (nested(512), nested(513)), ("9" * 100, "9" * 101)):
                with self.subTest(command[0], source=bad[:10]):
                    within, beyond = self.run_on(good, *command), self.run_on(bad, *command)
                    # What is laid out otherwise is no error of a limit.
                    self.assertIn(within.returncode, (0, 1) if command[0] == "fmt" else (0,), within.stderr[:300])
                    self.assertNotRegex(within.stderr, "error")
                    self.assertEqual(beyond.returncode, 1, beyond.stderr[:300])
                    self.assertRegex(beyond.stdout + beyond.stderr, "the limit is|the limit for")

    def test_time(self):
        """No machine does this in a millisecond, and every one in the minute that there is by default."""
        names = "(let [" + " ".join(f"a{i} {i}" for i in range(60_000)) + "] 1)"
        for command in (["check"], ["explain"], ["disasm"], ["fmt", "--check"], ["build", "-o", self.path + "p.ptcb"]):
            with self.subTest(command[0]):
                in_time, late = self.run_on(names, *command), self.run_on(names, *command, "--timeout-ms", "1")
                self.assertNotRegex(in_time.stdout + in_time.stderr, "time limit|took longer")
                self.assertEqual(late.returncode, 1)
                self.assertRegex(late.stdout + late.stderr, "time limit|took longer")

    def test_files(self):
        for name, size in (("p.ptcb", 64 << 20), ("d.json", 512 << 20)):
            with open(self.path + name, "wb") as file:
                file.truncate(size + 1)
        bytecode = subprocess.run([ptcc_test.PTCC, "run", self.path + "p.ptcb"], capture_output=True, text=True)
        data = subprocess.run([ptcc_test.PTCC, "eval", "1", "--data", f"d={self.path}d.json"], capture_output=True, text=True)
        for done in (bytecode, data):
            self.assertEqual(done.returncode, 2)
            self.assertIn("larger than", done.stderr)

    def test_names_of_files(self):
        long = "n" * 300 # 255 bytes are allowed
        replies = self.path + "replies.jsonl"
        with open(replies, "w", encoding="utf-8") as file:
            file.write('{"text":"1"}\n')
        model = ("--prompt", "x", "--llm", "script:" + replies)
        for command in (["missions", "--store", "sqlite:" + long], ["store", "check", "--store", "sqlite:" + long], ["agent", *model, "--resume", long],
                        ["eval-agents", long], ["serve", "--port", "0", *model, "--trace", long], ["run", long], ["trace", long],
                        ["worker", "--store", "sqlite:" + self.path + "w.db", "--trace", long, "--until-empty"], ["eval", "1", "--data", "d=" + long]):
            with self.subTest(command[0]):
                done = subprocess.run([ptcc_test.PTCC, *command], capture_output=True, text=True, timeout=300)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(long, done.stderr)

    def test_bytecode(self):
        self.assertEqual(self.run_on("(map inc [1 2])", "build", "-o", self.path + "p.ptcb").returncode, 0)
        with open(self.path + "p.ptcb", "rb") as file:
            whole = file.read()
        for content, code in ((whole, 0), (whole[:-1], 2), (whole + b"x", 2), (whole[:100], 2)):
            with open(self.path + "q.ptcb", "wb") as file:
                file.write(content)
            done = subprocess.run([ptcc_test.PTCC, *ptcc_test.patient("run"), self.path + "q.ptcb"], capture_output=True, text=True)
            self.assertEqual(done.returncode, code, done.stderr)

    def test_signatures(self):
        good, bad = (subprocess.run([ptcc_test.PTCC, "signature", "() -> " + "[" * n + ":int" + "]" * n], capture_output=True, text=True)
                     for n in (512, 513))
        self.assertEqual((good.returncode, bad.returncode), (0, 1), bad.stderr)


if __name__ == "__main__":
    ptcc_test.PTCC = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
