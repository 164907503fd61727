#!/usr/bin/env python3
"""ptcc from the outside: ptcc_test.py PTCC [unittest's arguments, e.g. Batch or Run.test_prints_come_first]."""
import json
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import unittest

from waiting import PATIENCE as SECONDS, wait_until

PTCC = ""


def is_sanitized():
    """Whether it was built with the address sanitizer."""
    with open(PTCC, "rb") as program:
        return b"__asan_init" in program.read()


def patient(command="", *arguments):
    """The arguments with limits of time that no machine is too slow for, unless the test sets its own or the mission is a replay."""
    if "--replay" in arguments or command not in ("run", "eval", "repl", "agent", "serve", "mcp"):
        return (command, *arguments) if command else ()
    more = []
    if "--timeout-ms" not in arguments:
        more += ["--timeout-ms", "240000"]
    if command in ("agent", "serve") and not {"--mission-timeout-ms", "--agent"} & set(arguments):
        more += ["--mission-timeout-ms", "480000"]
    return command, *more, *arguments


def ptcc(*arguments, stdin="", **options):
    """Runs ptcc; standard input may be text or bytes, the result has both outputs as text."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run([PTCC, *patient(*arguments)], input=data, capture_output=True, timeout=SECONDS, **options)
    done.stdout = done.stdout.decode("utf-8", "replace")
    done.stderr = done.stderr.decode("utf-8", "replace")
    return done


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as out:
            out.write(content.encode() if isinstance(content, str) else content)
        return path

    def check(self, done, code, out=None, err=None):
        """The exit code, all of standard output, and a part of standard error ("" for none at all)."""
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        if out is not None:
            self.assertEqual(done.stdout, out)
        if err is not None:
            self.assertIn(err, done.stderr)
        if err == "":
            self.assertEqual(done.stderr, "")


class Usage(Case):
    COMMANDS = ("check", "explain", "fmt", "run", "eval", "repl", "build", "disasm", "signature", "reference", "conformance", "scenario",
                "agent", "trace", "serve", "submit", "worker", "missions", "store")

    def test_help_has_two_examples_for_each_command(self):
        for command in self.COMMANDS:
            done = ptcc(command, "--help")
            self.check(done, 0, err="")
            examples = done.stdout.split("Examples:\n")[1]
            self.assertGreaterEqual(sum("ptcc " + command in line for line in examples.splitlines()), 2, command)

    def test_help_lists_the_commands(self):
        done = ptcc("--help")
        self.check(done, 0, err="")
        for command in self.COMMANDS:
            self.assertIn("  " + command + " ", done.stdout)

    def test_version(self):
        done = ptcc("--version")
        self.check(done, 0, err="")
        self.assertRegex(done.stdout, r"^ptcc \d+\.\d+\.\d+\n$")

    def test_wrong_usage_exits_2_and_writes_nothing_to_standard_output(self):
        for arguments in ([], ["bogus"], ["--bogus"], ["run"], ["run", "a", "b"], ["eval"], ["eval", "1", "2"], ["eval", "--bogus", "1"],
                          ["eval", "1", "--batch"], ["eval", "1", "--fuel"], ["eval", "1", "--fuel", "-1"], ["eval", "1", "--fuel", "x"],
                          ["eval", "1", "--fuel", "99999999999999999999999"], ["eval", "1", "--data"], ["eval", "1", "--data", "x"],
                          ["eval", "--batch", "--json"], ["eval", "1", "--data", "=x"], ["check"], ["check", "-", "--format", "xml"],
                          ["build", "x.ptc"], ["explain"], ["explain", "-", "--format", "xml"], ["fmt"], ["conformance"]):
            with self.subTest(arguments):
                done = ptcc(*arguments)
                self.check(done, 2, out="", err="ptcc: ")

    def test_programs_that_a_person_starts_have_a_wide_wall_clock(self):
        for command, millis in (("run", 60000), ("eval", 60000), ("repl", 60000), ("agent", 5000), ("serve", 5000)):
            with self.subTest(command):
                self.assertIn(f"Wall-clock time, of compiling too [{millis}]\n", ptcc(command, "--help").stdout)

    def test_requests_of_a_batch_have_the_wall_clock_of_the_library(self):
        request = json.dumps({"id": 1, "src": "(loop [] (recur))", "limits": {"fuel": 10**12}})
        done = subprocess.run([PTCC, "eval", "--batch"], input=request + "\n", capture_output=True, timeout=SECONDS, check=True, text=True)
        self.assertIn('"reason":"timeout"', done.stdout)

    def test_no_network_library_is_needed_before_a_provider_is(self):
        listed = subprocess.run([PTCC, "eval", "1"], env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True,
                                timeout=SECONDS, check=True, text=True).stdout
        self.assertNotRegex(listed, "libcurl|libssl|libcrypto")

    def test_an_unknown_command_is_named_with_the_nearest_one(self):
        self.check(ptcc("rnu"), 2, err="There is no command `rnu`. Did you mean `run`?")

    def test_no_color_outside_of_a_terminal(self):
        self.assertNotIn("\x1b", ptcc("eval", "(+ 1").stderr)
        self.assertNotIn("\x1b", ptcc("check", "-", stdin="(+ 1").stdout)


class Eval(Case):
    def test_the_value_as_edn(self):
        self.check(ptcc("eval", '{:a [1 2.0 "x"]}'), 0, '{:a [1 2.0 "x"]}\n', "")

    def test_the_value_as_json(self):
        self.check(ptcc("eval", "--json", '{:a [1 2.5 "x" nil]}'), 0, '{"a":[1,2.5,"x",null]}\n', "")

    def test_what_has_no_json_form_fails(self):
        self.check(ptcc("eval", "--json", "inc"), 1, "", "no JSON form")

    def test_the_clock_stands_where_it_is_told(self):
        self.check(ptcc("eval", "--now", "2024-02-29T10:00:00+02:00", "(java.util.Date.)"), 0, '"2024-02-29T08:00:00Z"\n', "")
        self.check(ptcc("eval", "--now", "2024-02-29", "(LocalDate/now)"), 0, '"2024-02-29"\n', "")
        self.check(ptcc("eval", "--now", "noon", "1"), 2, "", "--now")

    def test_return_is_a_value(self):
        self.check(ptcc("eval", "(do (return 1) 2)"), 0, "1\n", "")

    def test_fail_exits_1(self):
        self.check(ptcc("eval", "(fail {:reason :x})"), 1, "", "fail: {:reason :x}")

    def test_errors_have_their_place(self):
        self.check(ptcc("eval", "(inc 1)\n  (+ 1 nil)"), 1, "", "expression:2:3: error[type_error]")

    def test_all_errors_of_a_text_are_shown(self):
        done = ptcc("eval", "(foo 1) (bar 2)")
        self.check(done, 1, "")
        self.assertIn("`foo`", done.stderr)
        self.assertIn("`bar`", done.stderr)

    def test_data(self):
        path = self.file("o.json", '[{"n": 1}, {"n": 2}]')
        self.check(ptcc("eval", "(sum-by :n data/orders)", "--data", "orders=" + path), 0, "3\n", "")

    def test_an_expression_after_dashes(self):
        self.check(ptcc("eval", "--", "-5"), 0, "-5\n", "")

    def test_invalid_utf_8(self):
        self.check(ptcc("eval", b"\xff"), 1, "", "error[parse_error]")

    def test_stats_go_to_standard_error(self):
        done = ptcc("eval", "1", "--stats")
        self.check(done, 0, "1\n")
        self.assertRegex(done.stderr, r"^[\d,]+ units of fuel, [\d,]+ bytes at the peak, [\d.]+ ms\n$")

    def test_each_limit_is_obeyed(self):
        for arguments, reason in ((["(loop [] (recur))", "--fuel", "1000"], "fuel_exhausted"),
                                  (["(count (vec (range 100000)))", "--heap-bytes", "10000"], "memory_exceeded"),
                                  (["(loop [] (recur))", "--fuel", "1000000000000000", "--timeout-ms", "20"], "timeout"),
                                  (["(defn f [n] (inc (f n))) (f 1)", "--max-depth", "100"], "depth_exceeded"),
                                  (["(do (tool/users) (tool/users))", "--test-tools", "--max-tool-calls", "1"], "tool_calls_exceeded"),
                                  (["(loop [i 0] (recur i))", "--max-loop-iterations", "10"], "loop_limit_exceeded")):
            with self.subTest(reason):
                self.check(ptcc("eval", *arguments), 1, "", "error[%s]" % reason)


class Run(Case):
    def test_a_file(self):
        self.check(ptcc("run", self.file("a.ptc", "(def x 1)\n(inc x)")), 0, "2\n", "")

    def test_standard_input(self):
        self.check(ptcc("run", "-", stdin="(+ 1 2)"), 0, "3\n", "")

    def test_standard_input_by_its_name_and_what_a_command_writes(self):
        self.check(ptcc("run", "/dev/stdin", stdin="(+ 1 2)"), 0, "3\n", "")
        for command in ("run <(echo '(+ 1 2)')", "run --data x=<(echo 3) <(echo 'data/x')"):
            shell = subprocess.run(["bash", "-c", '"$0" ' + command, PTCC], capture_output=True, text=True)
            self.assertEqual((shell.stdout, shell.stderr, shell.returncode), ("3\n", "", 0))

    def test_prints_come_first(self):
        self.check(ptcc("run", "-", stdin='(println "a" 1) (println) :done'), 0, "a 1\n\n:done\n", "")

    def test_prints_come_as_they_are_made(self):
        process = subprocess.Popen([PTCC, "run", "-", "--fuel", "1000000000000000", "--timeout-ms", "1000000000"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        process.stdin.write(b'(println "now") (loop [] (recur))')
        process.stdin.close()
        self.assertEqual(process.stdout.readline(), b"now\n")
        self.assertIsNone(process.poll())
        process.kill()
        process.wait()
        process.stdout.close()

    def test_what_was_printed_before_an_error_stays(self):
        self.check(ptcc("run", "-", stdin='(println "a") (/ 1 0)'), 1, "a\n", "-:1:15: error[arithmetic_error]")

    def test_data_files(self):
        orders = self.file("o.json", "[1, 2]")
        names = self.file("n.json", '{"x": "é"}')
        program = self.file("p.ptc", "[(count data/orders) (:x data/names)]")
        self.check(ptcc("run", program, "--data", "orders=" + orders, "--data", "names=" + names), 0, '[2 "é"]\n', "")

    def test_bad_data(self):
        program = self.file("p.ptc", "data/x")
        bad = self.file("bad.json", '{"a": 1,\n "b": }')
        self.check(ptcc("run", program, "--data", "x=" + bad), 2, "", bad + ":2:7: ")
        self.check(ptcc("run", program, "--data", "x=" + self.file("u.json", b'"\xff"')), 2, "", "u.json:1:2: ")
        self.check(ptcc("run", program, "--data", "x=" + self.file("e.json", "")), 2, "", "e.json")
        self.check(ptcc("run", program, "--data", "x=/nowhere.json"), 2, "", "Cannot read /nowhere.json")
        self.check(ptcc("run", program, "--data", "x=" + self.file("deep.json", "[" * 100000)), 2, "", "deep.json")
        good = self.file("g.json", "1")
        self.check(ptcc("run", program, "--data", "x=" + good, "--data", "x=" + good), 2, "", "twice")

    def test_what_cannot_be_read(self):
        self.check(ptcc("run", "/nowhere.ptc"), 2, "", "Cannot read /nowhere.ptc: No such file")
        self.check(ptcc("run", self.folder), 2, "", "Is a directory")
        self.check(ptcc("run", "/dev/zero"), 2, "", "larger than the limit")
        secret = self.file("secret.ptc", "1")
        os.chmod(secret, 0)
        if os.geteuid() != 0:
            self.check(ptcc("run", secret), 2, "", "Permission denied")

    def test_malformed_sources(self):
        for source in (b"(", b")", b'"abc', b"\xff\xfe", b"(\x00)", b"[" * 100000, b"(" * 600 + b")" * 600, b"#_", b"1" * 2_000_000):
            with self.subTest(source[:10]):
                self.check(ptcc("run", "-", stdin=source), 1, "", "error[")

    def test_a_result_that_nobody_can_print(self):
        self.check(ptcc("eval", "(reduce (fn [a _] [a a]) [1] (range 45))"), 1, "", "error[limit_exceeded]")


class Build(Case):
    SOURCE = '(def k 2)\n(println "n" (count data/xs))\n(mapv (fn [x] (* k x)) data/xs)\n'

    def setUp(self):
        super().setUp()
        self.source = self.file("p.ptc", self.SOURCE)
        self.bytecode = os.path.join(self.folder, "p.ptcb")
        self.data = "xs=" + self.file("xs.json", "[1, 2]")

    def build(self):
        self.check(ptcc("build", self.source, "-o", self.bytecode), 0, "", "")

    def test_bytecode_runs_as_its_source(self):
        self.build()
        expected = ptcc("run", self.source, "--data", self.data)
        self.check(expected, 0, "n 2\n[2 4]\n", "")
        self.check(ptcc("run", self.bytecode, "--data", self.data), 0, expected.stdout, "")

    def test_the_same_source_gives_the_same_bytes(self):
        self.build()
        with open(self.bytecode, "rb") as file:
            first = file.read()
        self.build()
        with open(self.bytecode, "rb") as file:
            self.assertEqual(file.read(), first)

    def test_errors_of_bytecode_have_their_place(self):
        self.source = self.file("p.ptc", "(def a 1)\n(+ a nil)")
        self.build()
        self.check(ptcc("run", self.bytecode), 1, "", ":2:1: error[type_error]")

    def test_functions_of_the_language_as_values(self):
        self.source = self.file("p.ptc", "(def f sort-by) [(f - [1 2]) (mapv (first [filter]) [odd?] [[1 2]])]")
        self.build()
        self.check(ptcc("run", self.bytecode), 0, "[[2 1] [[1]]]\n", "")

    def test_errors_leave_the_output_as_it_was(self):
        self.file("p.ptcb", "old")
        self.check(ptcc("build", self.file("bad.ptc", "(foo"), "-o", self.bytecode), 1, "", "error[parse_error]")
        self.check(ptcc("build", "/nowhere.ptc", "-o", self.bytecode), 2, "", "Cannot read")
        with open(self.bytecode, encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")
        self.assertEqual(sorted(os.listdir(self.folder)), ["bad.ptc", "p.ptc", "p.ptcb", "xs.json"])

    def test_an_output_that_cannot_be_written(self):
        self.check(ptcc("build", self.source, "-o", "/nowhere/p.ptcb"), 2, "", "Cannot write /nowhere/p.ptcb")
        self.check(ptcc("build", self.source, "-o", self.folder), 2, "", "Cannot write")

    def test_unknown_tools_with_and_without_a_list(self):
        source = self.file("t.ptc", "(tool/foo {})")
        self.check(ptcc("build", source, "-o", self.bytecode), 0, "", "")
        tools = self.file("tools.json", '{"bar": {"signature": "() -> :any"}}')
        self.check(ptcc("build", source, "-o", self.bytecode, "--tools", tools), 1, "", "unknown_tool")

    def test_check_of_a_later_turn(self):
        source = self.file("second.ptc", "(conj seen (count totals))")
        self.check(ptcc("check", source), 1, None, "")
        self.check(ptcc("check", source, "--memory", "seen", "--memory", "totals"), 0, "", "")
        self.check(ptcc("check", source, "--memory", "total", "--memory", "seen"), 1, None, "")

    def test_damaged_bytecode_is_refused(self):
        self.build()
        with open(self.bytecode, "rb") as file:
            good = file.read()
        for command in ("run", "disasm", "check"):
            for size in (4, 10, len(good) // 2, len(good) - 1):
                self.check(ptcc(command, self.file("cut.ptcb", good[:size])), 2, "", "cut.ptcb: ")
            for at in range(4, len(good), 7):
                flipped = good[:at] + bytes([good[at] ^ 0x10]) + good[at + 1:]
                self.check(ptcc(command, self.file("flip.ptcb", flipped)), 2, "", "flip.ptcb: ")

    def test_disasm_of_source_and_bytecode_agree(self):
        self.build()
        source = ptcc("disasm", self.source)
        self.check(source, 0, err="")
        self.assertIn("return", source.stdout)
        self.check(ptcc("disasm", self.bytecode), 0, source.stdout, "")

    def test_disasm_of_what_does_not_compile(self):
        self.check(ptcc("disasm", "-", stdin="(foo"), 1, "", "error[parse_error]")


class Prelude(Case):
    CRM = """(ns crm "Customers.")
(def page-size 50)
(defn- tag [id] (str "norm:" id))
(defn get "A customer." [id] (tool/echo {:id (tag id)}))
(defn now [] (System/currentTimeMillis))
"""

    def setUp(self):
        super().setUp()
        self.crm = self.file("crm.ptc", self.CRM)
        self.program = self.file("p.ptc", "(:id (crm/get crm/page-size))")

    def test_eval_and_run(self):
        self.check(ptcc("eval", "--prelude", self.crm, "--test-tools", "(crm/get 1)"), 0, '{"id" "norm:1"}\n', "")
        self.check(ptcc("run", self.program, "--prelude", self.crm, "--test-tools"), 0, '"norm:50"\n', "")

    def test_several(self):
        more = self.file("more.ptc", "(ns more) (defn both [] [crm/page-size (crm/get 2)])")
        done = ptcc("eval", "--prelude", self.crm, "--prelude", more, "--test-tools", "(more/both)")
        self.check(done, 0, '[50 {"id" "norm:2"}]\n', "")

    def test_repl(self):
        done = ptcc("repl", "--prelude", self.crm, "--test-tools", stdin="(def crm/x 1)\n(crm/get 1)\n(source crm/tag)\n:names\n")
        self.check(done, 0, '{"id" "norm:1"}\n;; crm/tag: private, effect :unknown, arity 1\n(defn- tag [id]\n  (str "norm:" id))\nnil\n', "protected")

    def test_a_tool_that_is_missing(self):
        for command in (["eval", "1"], ["run", self.program], ["repl"]):
            self.check(ptcc(*command, "--prelude", self.crm), 1, "", "crm.ptc:4:7: error[invalid_prelude]: `crm/get`")

    def test_errors_of_the_prelude_have_their_place(self):
        bad = self.file("bad.ptc", "(ns crm)\n(defn f [] (g))")
        for command in (["eval", "1"], ["run", self.program], ["repl"], ["explain", self.program]):
            self.check(ptcc(*command, "--prelude", bad), 1, "", "bad.ptc:2:13: error[unbound_var]")
        done = ptcc("check", self.program, "--prelude", bad)
        self.check(done, 1, err="")
        self.assertIn("bad.ptc:2:13: error[unbound_var]", done.stdout)
        self.check(ptcc("check", self.program, "--prelude", "/nowhere.ptc"), 2, "", "Cannot read")

    def test_check(self):
        self.check(ptcc("check", self.program, "--prelude", self.crm), 0, "", "")
        tools = self.file("tools.json", '{"ecco": {}}')
        done = ptcc("check", self.program, "--prelude", self.crm, "--tools", tools, "--format", "json")
        self.check(done, 1)
        found = json.loads(done.stdout)["diagnostics"]
        self.assertEqual([(d["file"], d["reason"], d["line"]) for d in found], [(self.crm, "invalid_prelude", 4)])
        wrong = self.file("w.ptc", "(crm/get)\n(crm/tag 1)")
        done = ptcc("check", wrong, "--prelude", self.crm)
        self.check(done, 1, err="")
        self.assertIn("w.ptc:1:1: error[arity_mismatch]", done.stdout)
        self.assertIn("w.ptc:2:2: error[invalid_form]", done.stdout)

    def test_build_and_disasm(self):
        code = os.path.join(self.folder, "p.ptcb")
        self.check(ptcc("build", self.program, "-o", code, "--prelude", self.crm), 0, "", "")
        self.check(ptcc("run", code, "--prelude", self.crm, "--test-tools"), 0, '"norm:50"\n', "")
        self.assertEqual(ptcc("run", code, "--test-tools").returncode, 2)
        for program in (self.program, code):
            done = ptcc("disasm", program, "--prelude", self.crm)
            self.check(done, 0, err="")
            self.assertIn("#fn[id]", done.stdout)  # the export, bound when the bytecode was read
        self.check(ptcc("build", self.program, "-o", code), 1, "", "crm/get")
        tools = self.file("tools.json", '{"ecco": {}}')
        self.check(ptcc("build", self.program, "-o", code, "--prelude", self.crm, "--tools", tools), 1, "", "crm.ptc:4:7: error[invalid_prelude]")
        bad = self.file("bad.ptc", "(ns crm)\n(defn f [] (g))")
        for command in (["build", self.program, "-o", code], ["disasm", self.program]):
            self.check(ptcc(*command, "--prelude", bad), 1, "", "bad.ptc:2:13: error[unbound_var]")

    def test_explain_sees_through_exports(self):
        source = self.file("q.ptc", "[(crm/get 1)\n (crm/now)]")
        done = ptcc("explain", source, "--prelude", self.crm, "--format", "json")
        self.check(done, 0, err="")
        found = json.loads(done.stdout)
        self.assertEqual([(t["name"], t["line"]) for t in found["tools"]], [("echo", 1)])
        self.assertEqual([t["line"] for t in found["clock"]], [2])
        now = self.file("now.ptc", "(crm/now)")
        self.assertIn("at most", ptcc("explain", now, "--prelude", self.crm).stdout)


class Check(Case):
    def test_a_clean_program(self):
        self.check(ptcc("check", "-", stdin="(+ 1 2)"), 0, "", "")
        self.check(ptcc("check", "-", "--format", "json", stdin="(+ 1 2)"), 0, '{"diagnostics":[]}\n', "")

    def test_errors_as_text(self):
        done = ptcc("check", "-", stdin="(inc 1)\n(foo 2)")
        self.check(done, 1, err="")
        self.assertTrue(done.stdout.startswith("-:2:2: error[unbound_var]: "), done.stdout)
        self.assertTrue(done.stdout.endswith("1 error, 0 warnings\n"), done.stdout)

    def test_errors_as_json(self):
        a = self.file("a.ptc", '"é" (inc 1 2)')
        b = self.file("b.ptc", "(foo)")
        done = ptcc("check", a, b, "--format", "json")
        self.check(done, 1, err="")
        self.assertEqual(done.stdout.count("\n"), 1)
        first, second = json.loads(done.stdout)["diagnostics"]
        self.assertEqual(first["file"], a)
        self.assertEqual((first["severity"], first["reason"], first["line"]), ("error", "arity_error", 1))
        self.assertEqual((first["column"], first["offset"]), (5, 5))  # the fifth character; five bytes before it
        self.assertIsInstance(first["length"], int)
        self.assertEqual((second["file"], second["reason"]), (b, "unbound_var"))

    def test_applying_the_edits_mends_the_program(self):
        source = "(defn total [xs] (reduce + xs))\n(totla [1 2])"
        diagnostic = json.loads(ptcc("check", "-", "--format", "json", stdin=source).stdout)["diagnostics"][0]
        text = source.encode()
        for edit in sorted(diagnostic["edits"], key=lambda e: -e["offset"]):
            text = text[:edit["offset"]] + edit["text"].encode() + text[edit["offset"] + edit["length"]:]
        self.check(ptcc("check", "-", stdin=text), 0, "", "")

    def test_tools(self):
        tools = self.file("t.json", '{"search": {"signature": "(q :string) -> :any", "description": "Finds."}}')
        self.check(ptcc("check", "-", "--tools", tools, stdin='(tool/search {:q "a"})'), 0, "", "")
        self.assertIn("unknown_tool", ptcc("check", "-", "--tools", tools, stdin="(tool/other {})").stdout)
        self.check(ptcc("check", "-", stdin="(tool/other {})"), 0, "", "")

    def test_bad_tools(self):
        for content in ("", "[]", '{"a": 1}', '{"a": {"signature": 1}}', '{"a"', '{"a": {"signature": "(q :strin) -> :any"}}'):
            self.check(ptcc("check", "-", "--tools", self.file("t.json", content), stdin="1"), 2, "", "t.json")

    def diagnostics(self, source, *options):
        return json.loads(ptcc("check", "-", *options, "--format", "json", stdin=source).stdout)["diagnostics"]

    def test_warnings_refuse_nothing(self):
        done = ptcc("check", "-", stdin="(let [x 1 y 2] x)")
        self.check(done, 0, err="")
        self.assertTrue(done.stdout.startswith("-:1:11: warning[unused_binding]: `y` is never used."), done.stdout)
        self.assertTrue(done.stdout.endswith("0 errors, 1 warning\n"), done.stdout)
        (warning,) = self.diagnostics("(let [x 1 y 2] x)")
        self.assertEqual(warning["severity"], "warning")
        self.assertEqual(warning["edits"], [{"offset": 10, "length": 0, "text": "_"}])
        self.check(ptcc("eval", "(let [x 1 y 2] x)"), 0, "1\n", "")

    def test_arguments_and_results_of_tools(self):
        tools = self.file("t.json", '{"users": {"signature": "(limit :int?) -> [{id :int, name :string}]"}}')
        (field,) = self.diagnostics("(map :nmae (tool/users {}))", "--tools", tools)
        self.assertEqual((field["severity"], field["reason"], field["hint"]), ("warning", "unknown_field", "Did you mean `:name`?"))
        (argument,) = self.diagnostics('(tool/users {:limit "ten"})', "--tools", tools)
        self.assertEqual((argument["severity"], argument["reason"], argument["offset"]), ("error", "invalid_tool_args", 20))
        self.check(ptcc("check", "-", "--tools", tools, stdin='(tool/users {:limit "ten"})'), 1, err="")

    def test_fields_of_data(self):
        orders = "orders=" + self.file("o.json", '[{"amount": 1}, {"amount": 2, "note": "x"}]')
        self.assertEqual(self.diagnostics("(map (juxt :amount :note) data/orders)", "--data", orders), [])
        (field,) = self.diagnostics("(map :amonut data/orders)", "--data", orders)
        self.assertEqual(field["edits"], [{"offset": 5, "length": 7, "text": ":amount"}])

    def test_data_that_is_not_given_is_warned_of(self):
        orders = "my-orders=" + self.file("o.json", "[]")
        done = ptcc("check", "-", "--data", orders, "--format", "json", stdin="[data/my_orders ctx/my-orders 'data/x data/my-order]")
        self.check(done, 0, err="")
        (warning,) = json.loads(done.stdout)["diagnostics"]
        self.assertEqual((warning["severity"], warning["offset"], warning["length"]), ("warning", 38, 13))
        self.assertIn("`data/my-orders`", warning["hint"])
        self.assertEqual(warning["edits"], [{"offset": 38, "length": 13, "text": "data/my-orders"}])

    def test_data_that_may_be_absent_gets_no_edit(self):
        orders = "orders=" + self.file("o.json", "[]")
        for source in ("(or data/order [])", "(if (nil? data/order) 0 1)", "(if-let [o data/order] o 0)"):
            done = ptcc("check", "-", "--data", orders, "--format", "json", stdin=source)
            (warning,) = json.loads(done.stdout)["diagnostics"]
            self.assertNotIn("edits", warning, source)  # nil may be what the program counts on

    def test_the_names_of_data_are_suggested(self):
        orders = "orders=" + self.file("o.json", "[]")
        done = ptcc("check", "-", "--data", orders, "--format", "json", stdin="(count ordres)")
        (error,) = json.loads(done.stdout)["diagnostics"]
        self.assertEqual(error["edits"], [{"offset": 7, "length": 6, "text": "data/orders"}])

    def test_the_other_files_are_checked_when_one_cannot_be_read(self):
        done = ptcc("check", "/nowhere.ptc", self.file("b.ptc", "(foo)"))
        self.check(done, 2, err="Cannot read /nowhere.ptc")
        self.assertIn("unbound_var", done.stdout)

    def test_too_much_text(self):
        self.check(ptcc("check", "-", stdin="1 " * 1_000_000), 1, err="")


class Reference(Case):
    def test_names_are_told_about_in_the_order_given(self):
        self.check(ptcc("reference", "inc", "if"), 0,
                   "inc\n(inc x)\n  One more than x.\n  (inc 5) => 6\n  Cost: 4, and more for integers beyond 50 bits, by their digits\n"
                   "if\n(if test then) (if test then else)\n  The first branch when the test is truthy, else the second one, or nil.\n  (if (pos? 1) :yes :no) => :yes\n", "")

    def test_compact(self):
        self.check(ptcc("reference", "--compact", "inc"), 0, "## Arithmetic\n(inc x) - One more than x.\n", "")
        everything = ptcc("reference", "--compact")
        self.check(everything, 0, err="")
        self.assertIn("\n## Maps\n(array-map ", everything.stdout)

    def test_without_names_it_is_a_page(self):
        done = ptcc("reference")
        self.check(done, 0, err="")
        self.assertTrue(done.stdout.startswith("# "))

    def test_what_does_not_exist_is_named_with_the_nearest(self):
        done = ptcc("reference", "secnod", "if")
        self.check(done, 1, err="There is no `secnod` in the language. Did you mean `second`")
        self.assertTrue(done.stdout.startswith("if\n"))


class Explain(Case):
    PROGRAM = ("(defn total [orders]\n  (reduce + (map :amount orders)))\n(println \"now\" (Instant/now))\n"
               "(def sum (total data/orders))\n(tool/send {:sum sum})\n")

    def test_effects_and_functions_are_listed_with_their_places(self):
        done = ptcc("explain", self.file("x.ptc", self.PROGRAM))
        self.check(done, 0, err="", out="calls tools       tool/send (5:1)\n"
                                        "reads data        data/orders (4:17)\n"
                                        "reads names       sum (5:18)\n"
                                        "defines           total (1:1); sum (4:1)\n"
                                        "prints            println (3:1)\n"
                                        "reads the clock   Instant/now (3:16)\n"
                                        "functions         total/1 (1:1)\n"
                                        "fuel              no bound is known: 2:13: `map` goes through `data/orders`, whose size is not known\n")

    def test_data_gives_a_bound(self):
        orders = self.file("orders.json", json.dumps([{"amount": i} for i in range(20)]))
        program = self.file("x.ptc", "(reduce + (map :amount data/orders))")
        done = ptcc("explain", program, "--data", "orders=" + orders)
        self.check(done, 0, err="")
        bound = int(done.stdout.split("at most ")[1].replace(",", ""))
        ran = ptcc("run", program, "--data", "orders=" + orders, "--stats")
        fuel = int(ran.stderr.split(" units")[0].replace(",", ""))
        self.assertGreaterEqual(bound, fuel)
        self.assertLess(bound, 20 * fuel)

    def test_json(self):
        done = ptcc("explain", "-", "--format", "json", stdin=self.PROGRAM)
        self.check(done, 0, err="")
        found = json.loads(done.stdout)
        self.assertEqual(found["tools"], [{"name": "send", "line": 5, "column": 1, "offset": 116, "length": 22}])
        self.assertEqual([d["name"] for d in found["defines"]], ["total", "sum"])
        self.assertEqual(found["functions"][0]["least_arguments"], 1)
        self.assertEqual(found["functions"][0]["most_arguments"], 1)
        self.assertEqual((found["deterministic"], found["history"], found["mission"]), (False, [], []))
        self.assertEqual((found["fuel"]["bound"], found["fuel"]["line"]), (None, 2))
        found = json.loads(ptcc("explain", "-", "--format", "json", stdin="(+ 1 2)").stdout)
        self.assertEqual(found["deterministic"], True)
        self.assertGreater(found["fuel"]["bound"], 0)

    def test_bytecode_is_explained_too(self):
        program, code = self.file("x.ptc", "(tool/send {:a 1})"), os.path.join(self.folder, "x.ptcb")
        self.check(ptcc("build", program, "-o", code), 0)
        self.assertEqual(ptcc("explain", code).stdout, ptcc("explain", program).stdout)

    def test_errors_and_tools_are_checked(self):
        self.check(ptcc("explain", "-", stdin="(f ]"), 1, out="", err="-:1:")
        tools = self.file("tools.json", json.dumps({"send": {"signature": "(a :int) -> :int"}}))
        self.check(ptcc("explain", "-", "--tools", tools, stdin="(tool/sent {:a 1})"), 1, out="", err="sent")
        self.check(ptcc("explain", os.path.join(self.folder, "none.ptc")), 2, out="", err="ptcc: ")


class Fmt(Case):
    def read(self, path):
        with open(path) as file:
            return file.read()

    def test_files_are_rewritten_in_place(self):
        one, two = self.file("one.ptc", "( +  1 2)"), self.file("two.ptc", "(+ 1 2)\n")
        os.chmod(one, 0o640)
        self.check(ptcc("fmt", one, two), 0, out="", err="")
        self.assertEqual(self.read(one), "(+ 1 2)\n")
        self.assertEqual(self.read(two), "(+ 1 2)\n")
        self.assertEqual(os.stat(one).st_mode & 0o777, 0o640)

    def test_links_stay_links(self):
        path, link = self.file("one.ptc", "( +  1 2)"), os.path.join(self.folder, "link.ptc")
        os.symlink(path, link)
        self.check(ptcc("fmt", link), 0, out="", err="")
        self.assertTrue(os.path.islink(link))
        self.assertEqual(self.read(path), "(+ 1 2)\n")

    def test_what_is_formatted_is_not_written(self):
        path = self.file("one.ptc", "(+ 1 2)\n")
        os.utime(path, (1, 1))
        self.check(ptcc("fmt", path), 0, out="")
        self.assertEqual(os.stat(path).st_mtime, 1)

    def test_standard_input_goes_to_standard_output(self):
        self.check(ptcc("fmt", "-", stdin="(f ; why\n  x)"), 0, out="(f ; why\n x)\n", err="")

    def test_check_lists_what_is_not_formatted_and_writes_nothing(self):
        one, two = self.file("one.ptc", "( +  1 2)"), self.file("two.ptc", "(+ 1 2)\n")
        self.check(ptcc("fmt", "--check", two), 0, out="", err="")
        self.check(ptcc("fmt", "--check", one, two), 1, out=one + "\n", err="")
        self.assertEqual(self.read(one), "( +  1 2)")
        self.check(ptcc("fmt", "--check", "-", stdin="1"), 1, out="-\n")

    def test_a_file_with_errors_is_left_alone_and_the_others_are_formatted(self):
        bad, good = self.file("bad.ptc", "( + 1"), self.file("good.ptc", "( + 1)")
        self.check(ptcc("fmt", bad, good), 1, out="", err="bad.ptc:1:1")
        self.assertEqual(self.read(bad), "( + 1")
        self.assertEqual(self.read(good), "(+ 1)\n")
        self.check(ptcc("fmt", "-", stdin="(f ]"), 1, out="", err="-:1:")

    def test_a_file_that_cannot_be_read_is_wrong_usage(self):
        self.check(ptcc("fmt", os.path.join(self.folder, "none.ptc")), 2, out="", err="ptcc: ")


class Signature(Case):
    def answers(self, *requests):
        lines = "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in requests)
        done = ptcc("signature", "--batch", stdin=lines)
        self.check(done, 0, err="")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_the_normal_form_and_others(self):
        self.check(ptcc("signature", "{:id :int}"), 0, "() -> {id :int}\n", "")
        self.check(ptcc("signature", "[:=> [:cat] [:map [:a [:enum 1 2]]]]"), 0, "() -> {a :enum[1 2]}\n", "")
        self.check(ptcc("signature", "(a :int) -> :int", "--malli"), 0, "[:=> [:catn [:a :int]] :int]\n", "")
        self.check(ptcc("signature", "(a :int) -> :int", "--json-schema"), 0, '{"type":"integer"}\n', "")
        schema = ptcc("signature", "(a :int?) -> :int", "--json-schema", "--direction", "input", "--style", "exact")
        self.assertEqual(json.loads(schema.stdout)["properties"]["a"]["anyOf"][1], {"type": "null"})
        done = ptcc("signature", "(a :int) -> [{b :int}]", "--disasm")
        self.check(done, 0, err="")
        for mnemonic in ("check-map", "check-field", "next-item", "put-item"):
            self.assertIn(mnemonic, done.stdout)

    def test_mistakes_are_shown_in_their_place(self):
        self.check(ptcc("signature", "(a :list) -> :int"), 1, "", "signature:1:4: error[parse_error]: `:list` is not a type")
        self.check(ptcc("signature"), 2, "", "takes a signature or --batch")
        self.check(ptcc("signature", ":int", "--style", "odd"), 2, "", "--style")

    def test_validation_of_a_file(self):
        data = self.file("d.json", '{"id": "7"}')
        self.check(ptcc("signature", "(id :int) -> :any", "--validate", data, "--direction", "input"), 0, '{"id":7}\n', 'id: coerced string "7"')
        self.check(ptcc("signature", "{id :int}", "--validate", data), 1, "", '- id: expected int, got string "7"')
        self.check(ptcc("signature", "{id :string}", "--validate", "-", stdin='{"id": "7", "x": 1}'), 0, '{"id":"7","x":1}\n', "")
        self.check(ptcc("signature", "{id :string}", "--validate", "-", "--mode", "strict", stdin='{"id": "7", "x": 1}'), 1, "", "- x: unexpected field")
        self.check(ptcc("signature", ":int", "--validate", "-", stdin="{"), 2, "", "-: ")
        self.check(ptcc("signature", ":int", "--validate", "/nowhere"), 2, "", "Cannot read")

    def test_batch(self):
        parsed, bad, checked, wrong = self.answers(
            {"id": 1, "signature": "(q :string) -> [:int]"}, {"id": "x", "signature": "{a :imt}"},
            {"id": 3, "signature": "(n :int) -> :any", "direction": "input", "mode": "enabled", "data": {"n": "4"}},
            {"id": 4, "signature": "{k :keyword}", "direction": "output", "data": {"k": {"$kw": "a"}, "j": {"$set": [1]}}, "mode": "strict"})
        self.assertEqual((parsed["ok"], parsed["canonical"], parsed["json_schema"]["required"]), (True, "(q :string) -> [:int]", ["items"]))
        self.assertEqual((bad["id"], bad["ok"]), ("x", False))
        self.assertIn("`:int`", bad["errors"][0]["message"])
        self.assertEqual((checked["ok"], checked["data"], checked["warnings"]), (True, {"n": 4}, ['n: coerced string "4" to int']))
        self.assertEqual((wrong["ok"], wrong["errors"]), (False, [{"path": "j", "message": "unexpected field"}]))

    def test_what_is_no_request_is_answered(self):
        for line in ("{", "[]", "{}", '{"signature": 1}', '{"signature": ":int", "data": 1}', '{"signature": ":int", "form": 1}',
                     '{"signature": ":int", "data": 1, "direction": "up"}', '{"signature": ":int", "data": 1, "direction": "output", "mode": "x"}',
                     '{"signature": ":int", "data": {"$kw": 1}, "direction": "output"}', '{"signature": ":int", "style": "odd"}'):
            (answer,) = self.answers(line)
            self.assertFalse(answer["ok"], line)
            self.assertTrue(answer["errors"][0]["message"], line)


class Batch(Case):
    def answers(self, *lines, arguments=()):
        done = ptcc("eval", "--batch", *arguments, stdin=b"".join((l if isinstance(l, bytes) else l.encode()) + b"\n" for l in lines))
        self.check(done, 0, err="")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def answer(self, *arguments, **request):
        (answer,) = self.answers(json.dumps(request), arguments=arguments)
        return answer

    def test_jobs_are_of_a_batch(self):
        self.check(ptcc("eval", "--jobs", "2", "1"), 2, "", "--jobs goes with --batch")
        answers = self.answers(*(json.dumps({"id": i, "src": f"(+ {i} 1)"}) for i in range(20)), arguments=("--jobs", "3"))
        self.assertEqual([(a["id"], a["value"]) for a in answers], [(i, str(i + 1)) for i in range(20)])

    def test_all_members_of_an_answer(self):
        answer = self.answer(id=7, src='(println "p" 1) (def x {:a 1}) [x 2.0]')
        usage = answer.pop("usage")
        self.assertEqual(answer, {"id": 7, "outcome": "ok", "value": "[{:a 1} 2.0]", "json": [{"a": 1}, 2.0], "prints": ["p 1"],
                                  "memory": {"x": "{:a 1}"}, "tool_calls": []})
        self.assertEqual(set(usage), {"fuel", "peak_heap_bytes", "duration_us"})
        self.assertGreater(usage["fuel"], 0)

    def test_results_are_checked_by_a_signature(self):
        good = self.answer(id=1, src="(return {:order-count 5})", signature="{order_count :int}")
        self.assertEqual((good["outcome"], good["json"], good["value"]), ("return", {"order_count": 5}, "{:order-count 5}"))
        bad = self.answer(id=1, src="(def x 1) {:order-count :a}", signature="(a :int) -> {order_count :int}")
        self.assertEqual((bad["outcome"], bad["error"]["reason"], bad["memory"]), ("error", "validation_error", {}))
        self.assertIn("- order_count: expected int, got keyword :a", bad["error"]["message"])

    def test_warnings_say_what_the_data_do_not_have(self):
        rows = {"rows": [{"order_id": 1, "price": 2}]}
        (warning,) = self.answer(id=1, src="(count data/rws)", context=rows)["warnings"]
        self.assertEqual((warning["reason"], warning["line"], warning["column"]), ("unbound_var", 1, 8))
        self.assertEqual(warning["edits"], [{"offset": 7, "length": 8, "text": "data/rows"}])
        (warning,) = self.answer(id=1, src="(map :order/id data/rows)", context=rows)["warnings"]
        self.assertEqual((warning["reason"], warning["edits"]),
                         ("unknown_field", [{"offset": 5, "length": 9, "text": ":order_id"}]))
        (warning,) = self.answer(id=1, src="data/other", context=rows)["warnings"]
        self.assertEqual((warning["hint"], warning.get("edits")), ("There is `data/rows`.", None))
        self.assertNotIn("warnings", self.answer(id=1, src="(map :price data/rows)", context=rows))

    def test_what_is_known_of_the_data_explains_an_error(self):
        rows = {"rows": [{"unitPrice": 2}, {"unitPrice": 3}]}
        error = self.answer(id=1, src="(defn f [r] (* 2 (:unit-price r))) (map f data/rows)", context=rows)["error"]
        self.assertEqual(error["edits"], [{"offset": 18, "length": 11, "text": ":unitPrice"}])
        error = self.answer(id=1, src="(reduce + (map :amount data/rows))", context=rows)["error"]
        self.assertNotIn("edits", error) # a default would hide that no row has it
        self.assertIn("has no field `:amount`; there is `unitPrice`", error["hint"])

    def test_a_failure_keeps_its_place_on_its_way_through_try(self):
        error = self.answer(id=1, src="(try (+ 1 (:n {})) (finally 1))")["error"]
        self.assertEqual((error["reason"], error["column"]), ("type_error", 6))
        error = self.answer(id=1, src="(try (throw (ex-info \"x\" {})) (catch Exception e (throw e)))")["error"]
        self.assertEqual(error["column"], 6)

    def test_return_and_fail(self):
        self.assertEqual(self.answer(id=1, src="(return 1)")["outcome"], "return")
        failed = self.answer(id=1, src="(fail {:reason :x})")
        self.assertEqual((failed["outcome"], failed["value"], failed["json"]), ("fail", "{:reason :x}", {"reason": "x"}))
        self.assertNotIn("error", failed)

    def test_an_error(self):
        answer = self.answer(id=1, src="(inc 1)\n(+ 1 nil)")
        self.assertEqual((answer["outcome"], answer["value"], answer["json"]), ("error", None, None))
        error = answer["error"]
        self.assertEqual((error["reason"], error["line"], error["column"], error["offset"]), ("type_error", 2, 1, 8))
        self.assertLessEqual({"reason", "message", "line", "column", "hint"}, set(error))
        self.assertLessEqual(set(error), {"reason", "message", "line", "column", "hint", "offset", "length", "edits"})

    def test_the_first_error_of_a_text_that_does_not_compile(self):
        answer = self.answer(id=1, src="(foo 1)\n(bar 2)", memory={"x": 1})
        self.assertEqual((answer["outcome"], answer["error"]["reason"], answer["error"]["line"]), ("error", "unbound_var", 1))
        self.assertEqual(answer["memory"], {"x": "1"})

    def test_context_memory_and_history(self):
        answer = self.answer(id="é", src="(def y [x data/n *1 *2])", context={"n": "ü"}, memory={"x": [1, {"k": None}]}, history=[5, 6])
        self.assertEqual(answer["id"], "é")
        self.assertEqual(answer["memory"], {"x": '[1 {"k" nil}]', "y": '[[1 {"k" nil}] "ü" 6 5]'})

    def test_a_failed_program_leaves_memory_as_it_was(self):
        self.assertEqual(self.answer(id=1, src="(def x 2) (/ x 0)", memory={"x": 1})["memory"], {"x": "1"})

    def test_memory_is_told_after_the_fuel_is_gone(self):
        answer = self.answer(id=1, src="(loop [] (recur))", memory={"x": list(range(1000))}, limits={"fuel": 2000})
        self.assertEqual(answer["error"]["reason"], "fuel_exhausted")
        self.assertEqual(answer["memory"]["x"], str(list(range(1000))).replace(",", ""))

    def test_memory_whose_text_is_endless_fails_the_request(self):
        answer = self.answer(id=1, src="(def x (reduce (fn [a _] [a a]) [1] (range 45))) 1", memory={"x": 0})
        self.assertEqual((answer["error"]["reason"], answer["memory"]), ("limit_exceeded", {"x": "0"}))

    def test_requests_do_not_see_each_other(self):
        first, second = self.answers('{"id":1,"src":"(def x 1)"}', '{"id":2,"src":"x"}')
        self.assertEqual(first["outcome"], "ok")
        self.assertEqual(second["error"]["reason"], "unbound_var")

    def test_numbers_keep_their_digits(self):
        line = '{"id":123456789012345678901234567890,"src":"data/n","context":{"n":123456789012345678901234567890}}'
        (answer,) = self.answers(line)
        self.assertEqual((answer["id"], answer["json"]), (123456789012345678901234567890,) * 2)

    def test_values_without_json_form(self):
        for source in ("inc", "##NaN"):
            self.assertIsNone(self.answer(id=1, src=source)["json"], source)

    def test_tools(self):
        answer = self.answer("--test-tools", id=1, src='[(tool/add {:x 1 :y 2}) (tool/echo {:a-b "c"}) (count (tool/users))]')
        self.assertEqual(answer["json"], [3, {"a_b": "c"}, 2])
        self.assertEqual(answer["tool_calls"][0], {"name": "add", "args": {"x": 1, "y": 2}, "result": 3})
        self.assertEqual(answer["tool_calls"][2]["result"], [{"id": 1, "name": "Ann", "age": 31}, {"id": 2, "name": "Bo", "age": 25}])

    def test_a_failing_tool(self):
        answer = self.answer("--test-tools", id=1, src="(tool/boom {})")
        self.assertEqual(answer["error"]["reason"], "tool_error")
        self.assertIn("boom", answer["error"]["message"])
        self.assertEqual(answer["tool_calls"], [{"name": "boom", "args": {}, "result": None}])

    def test_tools_are_unknown_without_the_option(self):
        self.assertEqual(self.answer(id=1, src="(tool/echo {})")["error"]["reason"], "unknown_tool")

    def test_limits(self):
        for source, limits, reason in (("(loop [] (recur))", {"fuel": 1000}, "fuel_exhausted"),
                                       ("(count (vec (range 100000)))", {"heap_bytes": 10000}, "memory_exceeded"),
                                       ("(loop [] (recur))", {"fuel": 10**15, "timeout_ms": 20}, "timeout"),
                                       ("(defn f [n] (inc (f n))) (f 1)", {"max_depth": 100}, "depth_exceeded"),
                                       ("(tool/users)", {"max_tool_calls": 0}, "tool_calls_exceeded"),
                                       ('(bigint data/digits)', {"max_digits": 5}, "limit_exceeded"),
                                       ('(json/parse-string data/digits)', {"max_digits": 5}, "limit_exceeded"),
                                       ("(loop [] (recur))", {"max_loop_iterations": 10}, "loop_limit_exceeded")):
            answer = self.answer("--test-tools", id=1, src=source, limits=limits, context={"digits": "123456"})
            self.assertEqual(answer["error"]["reason"], reason)

    def test_null_members_are_as_absent(self):
        answer = self.answer(id=1, src="1", context=None, memory=None, history=None, limits={"fuel": None}, signature=None)
        self.assertEqual(answer["value"], "1")

    def test_lines_that_are_no_requests_are_answered(self):
        bad = ["{", "x", "[]", "1", "null", "{} {}", "{}", '{"src":1}', '{"src":"1","context":[]}', '{"src":"1","memory":[]}',
               '{"src":"1","history":{}}', '{"src":"1","limits":1}', '{"src":"1","limits":{"fuel":-1}}', '{"src":"1","limits":{"fuel":1.5}}',
               '{"src":"1","limits":{"fuel":"1"}}', '{"src":"1","limits":{"fuel":1e99}}', '{"src":"1","limits":{"fule":1}}',
               '{"src":"1","limits":{"max_depth":99999999999}}', '{"src":"1","signature":":imt"}', b'{"src":"\xff"}', "[" * 100000,
               '{"src":"\\ud800"}', "\x00"]
        answers = self.answers(*bad, '{"id":"last","src":"1"}')
        self.assertEqual(len(answers), len(bad) + 1)
        for line, answer in zip(bad, answers):
            with self.subTest(line[:60]):
                self.assertEqual((answer["id"], answer["outcome"]), (None, "error"))
                self.assertIn(answer["error"]["reason"], ("invalid_request", "invalid_json"))
        self.assertEqual(answers[-1]["value"], "1")

    def test_a_bad_request_keeps_its_id(self):
        self.assertEqual(self.answer(id=[1, {"a": 2}])["id"], [1, {"a": 2}])

    def test_bad_json_has_its_place(self):
        (answer,) = self.answers('{"src": }')
        self.assertEqual((answer["error"]["line"], answer["error"]["column"]), (1, 9))

    def test_blank_lines_are_skipped(self):
        self.assertEqual(len(self.answers("", "  ", '{"id":1,"src":"1"}', "\r")), 1)

    def test_each_answer_is_flushed(self):
        process = subprocess.Popen([PTCC, "eval", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for i in range(3):
            process.stdin.write(b'{"id":%d,"src":"(* 2 %d)"}\n' % (i, i))
            process.stdin.flush()
            self.assertTrue(select.select([process.stdout], [], [], SECONDS)[0])
            self.assertEqual(json.loads(process.stdout.readline())["value"], str(2 * i))
        process.stdin.close()
        self.assertEqual(process.wait(SECONDS), 0)
        process.stdout.close()

    def test_a_long_line(self):
        answer = self.answer(id=1, src="(count data/xs)", context={"xs": ["x" * 1000] * 20000})
        self.assertEqual(answer["value"], "20000")


class Repl(Case):
    def test_a_session(self):
        self.check(ptcc("repl", stdin="(def x 20)\n(* 2\n   (inc x))\n*1\n[*1 *2]\n"), 0, "#'x\n42\n42\n[42 42]\n", "")

    def test_errors_do_not_end_it(self):
        self.check(ptcc("repl", stdin="(/ 1 0)\n(foo)\n(+ 1 2)\n"), 0, "3\n", "error[arithmetic_error]")

    def test_a_failed_entry_changes_nothing(self):
        self.check(ptcc("repl", stdin="(def x 1)\n(do (def x 2) (/ x 0))\nx\n"), 0)
        self.assertTrue(ptcc("repl", stdin="(def x 1)\n(do (def x 2) (/ x 0))\nx\n").stdout.endswith("\n1\n"))

    def test_an_entry_that_is_never_closed_is_reported(self):
        self.check(ptcc("repl", stdin="(+ 1\n2"), 0, "", "error[parse_error]")

    def test_prints(self):
        self.check(ptcc("repl", stdin='(println "a")\n'), 0, "a\nnil\n", "")

    def test_commands(self):
        done = ptcc("repl", stdin=":help\n(def b 1)\n(def a 2)\n :names \n:clear\n:names\n*1\n:quit\n(never)\n")
        self.check(done, 0, err="")
        self.assertIn(":names", done.stdout)
        self.assertTrue(done.stdout.endswith("\na\nb\nnil\n"), done.stdout)

    def test_data(self):
        path = self.file("o.json", "[1, 2, 3]")
        self.check(ptcc("repl", "--data", "o=" + path, stdin="(count data/o)\n"), 0, "3\n", "")

    def test_other_keywords_are_expressions(self):
        self.check(ptcc("repl", stdin=":helper\n"), 0, ":helper\n", "")

    def test_invalid_utf_8(self):
        self.check(ptcc("repl", stdin=b"\xff\n(inc 1)\n"), 0, "2\n", "parse_error")


class Terminal(Case):
    """The REPL with a person in front of it."""

    def start(self, *arguments, **environment):
        variables = dict(os.environ, TERM="xterm", HOME=self.folder, **environment)
        variables.pop("NO_COLOR", None)
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.execve(PTCC, [PTCC, *patient("repl", *arguments)], variables)
        self.pid = pid
        self.seen = ""
        self.addCleanup(os.close, self.terminal)
        self.wait_for("ptc> ")

    def wait_for(self, text):
        """Reads until `text` has come since the last call."""
        while text not in self.seen:
            self.assertTrue(select.select([self.terminal], [], [], SECONDS)[0], self.seen)
            self.seen += os.read(self.terminal, 65536).decode("utf-8", "replace")
        before, self.seen = self.seen.split(text, 1)
        return before

    def type(self, text):
        os.write(self.terminal, text.encode())

    def end(self):
        """Ctrl-D at a prompt."""
        self.type("\x04")
        ended = []

        def has_ended():
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                ended.append(status)
            return ended
        try:
            wait_until(has_ended, "the end of the REPL")
        finally:
            if not ended:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
        self.assertEqual(os.waitstatus_to_exitcode(ended[0]), 0)

    def test_entries_over_lines(self):
        self.start()
        self.type("(+ 20\n")
        self.wait_for("...> ")
        self.type("22)\n")
        self.wait_for("42\r\n")
        self.wait_for("ptc> ")
        self.end()

    def test_history_is_recalled_now_and_next_time(self):
        for arrow_ups in (1, 1):
            self.start()
            if not os.path.exists(os.path.join(self.folder, ".ptcc_history")):
                self.type("(* 6 7)\n")
                self.wait_for("42\r\n")
                self.wait_for("ptc> ")
            self.type("\x1b[A" * arrow_ups + "\n")
            self.wait_for("42\r\n")
            self.wait_for("ptc> ")
            self.end()

    def test_interrupt_gives_up_an_entry(self):
        self.start()
        self.type("(+ 1\n")
        self.wait_for("...> ")
        self.type("\x03")
        self.wait_for("ptc> ")
        self.type("(* 2 21)\n")
        self.wait_for("42\r\n")
        self.wait_for("ptc> ")
        self.end()

    def test_interrupt_stops_a_program(self):
        self.start("--timeout-ms", "1000000000", "--fuel", "1000000000000000")
        self.type('(do (println "go") (loop [] (recur)))\n')
        self.wait_for("go\r\n")
        os.kill(self.pid, signal.SIGINT)
        self.wait_for("interrupted")
        self.wait_for("ptc> ")
        self.type("(* 2 21)\n")
        self.wait_for("42\r\n")
        self.wait_for("ptc> ")
        self.end()

    def test_colors(self):
        self.start()
        self.type("(/ 1 0)\n")
        self.wait_for("\x1b[1;31m")
        self.wait_for("ptc> ")
        self.end()


class Conformance(Case):
    GOOD = '{"id":"good","src":"(+ 1 2)","expect":{"value":"3"}}\n'

    def test_rows_that_hold(self):
        done = ptcc("conformance", self.file("a.jsonl", self.GOOD + "\n" + self.GOOD))
        self.check(done, 0, '{"id":"good","ok":true,"why":""}\n' * 2 + "2 passed, 0 failed\n", "")

    def test_rows_that_do_not_hold(self):
        rows = self.GOOD + '{"id":"bad","src":"(+ 1 2)","expect":{"value":"4"}}\n{"id":3}\nnonsense\n'
        done = ptcc("conformance", self.file("a.jsonl", rows))
        self.check(done, 1, err="")
        *answers, summary = done.stdout.splitlines()
        answers = [json.loads(line) for line in answers]
        self.assertEqual(summary, "1 passed, 3 failed")
        self.assertEqual([(a["id"], a["ok"]) for a in answers], [("good", True), ("bad", False), (3, False), (None, False)])
        self.assertEqual(answers[1]["why"], "expected 4, got 3")
        self.assertIn("a.jsonl:4: ", answers[3]["why"])

    def test_files_that_cannot_be_read(self):
        done = ptcc("conformance", "/nowhere.jsonl", self.file("a.jsonl", self.GOOD))
        self.check(done, 2, err="Cannot read /nowhere.jsonl")
        self.assertTrue(done.stdout.endswith("1 passed, 0 failed\n"))

    def test_a_row_that_runs_forever_fails(self):
        row = '{"id":1,"src":"(loop [] (recur))","limits":{"fuel":100000},"expect":{"value":"1"}}\n'
        self.check(ptcc("conformance", self.file("a.jsonl", row)), 1)

    def test_a_row_with_bytes_that_are_no_utf_8_fails(self):
        done = ptcc("conformance", self.file("a.jsonl", b'{"id":1,"src":"\xff","expect":{"value":"1"}}\n'))
        self.check(done, 1, err="")
        self.assertTrue(done.stdout.endswith("0 passed, 1 failed\n"))


class Output(Case):
    def closed_pipe(self, *arguments, stdin=b""):
        """ptcc whose output is closed before it starts; its exit code and what it says."""
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([PTCC, *arguments], input=stdin, stdout=writing, stderr=subprocess.PIPE, timeout=SECONDS, check=False)
        os.close(writing)
        return done.returncode, done.stderr

    def test_a_closed_pipe_exits_2_without_a_word(self):
        self.assertEqual(self.closed_pipe("eval", "1"), (2, b""))
        self.assertEqual(self.closed_pipe("--help"), (2, b""))
        self.assertEqual(self.closed_pipe("check", "-", stdin=b"(foo)"), (2, b""))

    def test_a_batch_ends_when_nobody_reads(self):
        process = subprocess.Popen([PTCC, "eval", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdout.close()
        process.stdin.write(b'{"id":1,"src":"1"}\n')
        process.stdin.flush()  # and stays open: ptcc must not wait for more
        self.assertEqual(process.wait(SECONDS), 2)
        process.stdin.close()

    def test_head(self):
        rows = self.file("a.jsonl", Conformance.GOOD * 20000)
        done = subprocess.run(f'"{PTCC}" conformance "{rows}" | head -1', shell=True, capture_output=True, timeout=SECONDS, check=True)
        self.assertEqual((done.stdout, done.stderr), (b'{"id":"good","ok":true,"why":""}\n', b""))

    def test_a_full_disk_exits_2(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PTCC, "eval", "1"], stdout=full, stderr=subprocess.PIPE, timeout=SECONDS, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"Cannot write the output", done.stderr)

    def test_a_closed_input(self):
        done = subprocess.run(f'"{PTCC}" eval --batch <&-', shell=True, capture_output=True, timeout=SECONDS, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"Cannot read", done.stderr)


if __name__ == "__main__":
    PTCC = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
