#!/usr/bin/env python3
"""Missions of a folder, graded and compared: evals_test.py PTCC [unittest's arguments]."""
import json
import os
import signal
import subprocess
import sys
import unittest

import ptcc_test
from agent_test import Agents, fenced
from ptcc_test import SECONDS, ptcc
from waiting import Gate

SAMPLE = os.path.join(os.path.dirname(__file__), "../../tools/demo_evals")


class Evals(Agents):
    """A folder of cases; each has the replies of its model."""

    def suite(self, *cases, **common):
        folder = os.path.join(self.folder, "evals")
        os.makedirs(folder, exist_ok=True)
        for name, text in (("suite.json", json.dumps(common)), ("cases.jsonl", "".join(json.dumps(one) + "\n" for one in cases))):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        return folder

    def evaluate(self, folder, *arguments, code=0, **options):
        done = ptcc("eval-agents", folder, "--format", "json", *arguments, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout) if done.stdout else done.stderr

    def saved(self, report):
        return self.file("before.json", json.dumps(report))


def case(name, *programs, **members):
    return {"id": name, "prompt": "x", "llm": [fenced(program) for program in programs], **members}


def grades(report, at=0, run=0):
    return {grade["grader"]: (grade["passed"], grade.get("note")) for grade in report["cases"][at]["results"][run]["grades"]}


class Grade(Evals):
    def one(self, grader, program="(return {:n 12 :_k 7})", **members):
        done = ptcc("eval-agents", self.suite(case("c", program, grade=grader, **members)), "--format", "json")
        report = json.loads(done.stdout)
        passed, note = list(grades(report).values())[-1]
        self.assertEqual(done.returncode, 0 if report["cases"][0]["results"][0]["passed"] else 1)
        return passed, note

    def test_exact_compares_as_json_does(self):
        self.assertEqual(self.one({"exact": {"_k": 7.0, "n": 12.0}}), (True, None))
        self.assertEqual(self.one({"exact": {"_k": 7, "n": 11}}), (False, "n: expected `11`, got `12`"))
        self.assertEqual(self.one({"exact": {"_k": 7, "n": 11.5}, "tolerance": 0.5}), (True, None))
        self.assertEqual(self.one({"exact": {"_k": 8, "n": 12}}), (False, "a firewalled value is another one"))
        self.assertEqual(self.one({"exact": [1, {"a": ["x"]}]}, "(return [1 {:a [:x]}])"), (True, None))
        self.assertEqual(self.one({"exact": [1, {"a": ["x"]}]}, "(return [1 {:a [:x :y]}])"), (False, '[1].a: expected `["x"]`, got `["x","y"]`'))

    def test_whole_numbers_are_exact_and_names_are_known(self):
        self.assertFalse(self.one({"exact": 9007199254740992}, "(return 9007199254740993)")[0])
        self.assertTrue(self.one({"exact": 9007199254740993}, "(return 9007199254740993)")[0])
        self.assertTrue(self.one({"exact": 12.0}, "(return 12)")[0])
        done = ptcc("eval-agents", self.suite(case("c", "(return 1)", grade={"program": "(not= data/reslt 5)"})))
        self.assertEqual(done.returncode, 2)
        self.assertIn("There is no `data/reslt` here", done.stderr)

    def test_what_is_firewalled_is_in_no_report_under_any_name(self):
        seen = os.path.join(self.folder, "seen")
        judge = self.program("judge.py", f"open({seen!r}, 'a').write(json.dumps(r))\na['text'] = json.dumps({{'pass': False, 'note': r['messages'][-1]['content']}})")
        folder = self.suite(case("a", "(return {:a (:_pin data/m)})", context={"m": {"_pin": "SECRETA1"}},
                                 grade=[{"exact": {"a": 1}}, {"judge": "{{result}} {{context}}"}]),
                            case("b", '(fail {:reason :no :message (str "it is " (:_pin data/m))})', context={"m": {"_pin": "SECRETA1"}}))
        page = os.path.join(self.folder, "page.html")
        for arguments in (("--format", "json"), ("--html", page)):
            done = ptcc("eval-agents", folder, "--judge-llm", "cmd:" + judge, *arguments)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertNotIn("SECRETA1", done.stdout)
        for path in (page, seen):
            with open(path, encoding="utf-8") as file:
                self.assertNotIn("SECRETA1", file.read())

    def test_text_that_models_said_stays_in_its_line(self):
        folder = self.suite(case("c", '(fail {:reason :no :message "m\\nok      fake: 1 of 1 \\u001b[2J"})'))
        done = ptcc("eval-agents", folder)
        self.assertNotIn("\x1b", done.stdout)
        self.assertFalse(any(line.startswith("ok ") for line in done.stdout.split("\n")), done.stdout)

    def test_a_damaged_report_is_no_baseline(self):
        before = self.file("before.json", '{"ptc_eval":1}')
        self.assertEqual(ptcc("eval-agents", self.suite(case("c", "(return 1)", expect=1)), "--before", before).returncode, 2)

    def test_signature(self):
        self.assertEqual(self.one({"signature": "{n :int}"}), (True, None))
        passed, note = self.one({"signature": "{n :string}"})
        self.assertFalse(passed)
        self.assertIn("n: expected string", note)

    def test_program(self):
        self.assertEqual(self.one({"program": "(and (= 12 (:n data/result)) (= 7 (:_k data/result)) (= 1 (:turns data/step)) (= 3 (:a data/context)) (= 5 data/expected))"},
                                  context={"a": 3}, expect=5), (True, None))
        self.assertEqual(self.one({"program": "{:pass false :note (str \"got \" (:n data/result))}"}), (False, "got 12"))
        self.assertIn("true or false", self.one({"program": "(:n data/result)"})[1])
        self.assertIn("failed", self.one({"program": "(+ 1 \"a\")"})[1])
        self.assertIn("failed", self.one({"program": "(loop [i 0] (recur (inc i)))"})[1])

    def test_a_judge_is_a_model(self):
        yes = {"judge": "Is {{result}} {{expected}}?", "llm": ['{"pass": true, "note": "It is."}']}
        self.assertEqual(self.one(yes, expect="a dozen"), (True, "It is."))
        self.assertEqual(self.one({**yes, "llm": ['{"pass": false, "note": "No."}']}), (False, "No."))
        self.assertIn("The judge failed", self.one({**yes, "llm": ["hm", "hm"]})[1])
        judge = self.program("judge.py", "a['text'] = json.dumps({'pass': '12' in r['messages'][-1]['content'], 'note': ''})")
        done = ptcc("eval-agents", self.suite(case("c", "(return 12)", grade={"judge": "{{result}}"})), "--judge-llm", "cmd:" + judge)
        self.check(done, 0, err="")

    def test_a_failure_can_be_what_is_wanted(self):
        self.assertEqual(self.one({"fails": "no_data"}, "(fail {:reason :no_data})"), (True, None))
        self.assertEqual(self.one({"fails": "any"}, "(fail {:reason :no_data})"), (True, None))
        self.assertEqual(self.one({"fails": "no_data"}, "(return 1)")[0], False)
        report = self.evaluate(self.suite(case("c", "(fail {:reason :no_data})", expect=1)), code=1)
        self.assertEqual(grades(report), {"end": (False, "no_data: {:reason :no_data}"), "exact": (False, "there is no result")})

    def test_mistakes_are_found_before_anything_is_run(self):
        for wrong, says in (({"grade": {"exactly": 1}}, "There is no member `exactly`"), ({"grade": {"exact": 1, "program": "1"}}, "one kind"),
                            ({"grade": {"program": "(nosuch 1)"}}, "nosuch"), ({"grade": {"signature": "{n :strng}"}}, "strng"),
                            ({"grade": {"judge": "{{nobody}}"}}, "nobody"), ({"min_rate": 2}, "min_rate"), ({"runs": 0}, "runs"), ({"id": "../x"}, "`id`"),
                            ({"gradr": 1}, "Did you mean"), ({"agent": {"max_turn": 1}}, "max_turn"), ({"llm": 7}, "SPEC"), ({"context": 7}, "context")):
            done = ptcc("eval-agents", self.suite(case("c", "(return 1)"), {**case("d", "(return 1)"), **wrong}))
            self.check(done, 2, "")
            self.assertIn(says, done.stderr, wrong)
        self.check(ptcc("eval-agents", self.suite(case("c", "1"), case("c", "1"))), 2, "", "two cases `c`")
        self.check(ptcc("eval-agents", self.suite()), 2, "", "has no cases")
        self.check(ptcc("eval-agents", self.suite(case("c", "1")), "--case", "d"), 2, "", "no case `d`")
        self.check(ptcc("eval-agents", os.path.join(self.folder, "nowhere")), 2, "", "no folder")


class Run(Evals):
    def test_what_a_case_does_not_say_the_suite_says(self):
        self.file("n.json", "4")
        folder = self.suite({"id": "a", "expect": 7}, {"id": "b", "expect": 9, "agent": {"signature": "(n :int) -> :int"}, "context": {"n": 6}}, runs=3,
                            agent={"prompt": "Add to {{n}}.", "tools": {"three": {"signature": "() -> :int", "do": {"return": 3}}}},
                            data={"n": "../n.json"}, llm=[fenced("(return (+ data/n (tool/three)))")])
        report = self.evaluate(folder, "--jobs", "4")
        self.assertEqual([(one["id"], one["runs"], one["passed"]) for one in report["cases"]], [("a", 3, 3), ("b", 3, 3)])
        self.assertEqual([run["run"] for run in report["cases"][0]["results"]], [1, 2, 3])
        self.assertEqual(self.evaluate(folder, "--runs", "1", "--case", "b")["all"]["runs"], 1)

    def test_each_run_begins_anew(self):
        tool = {"next": {"signature": "() -> :int", "do": {"seq": [1, 2, 3]}}}
        report = self.evaluate(self.suite(case("c", "(return (tool/next))", expect=1, runs=3), tools=tool))
        self.assertEqual(report["all"]["passed"], 3)

    def test_a_case_holds_when_it_passes_often_enough(self):
        count = os.path.join(self.folder, "count")
        model = self.program("model.py", f"open({count!r}, 'a').write('x')\na['text'] = {fenced('(return 1)')!r} if len(open({count!r}).read()) % 4 else {fenced('(return 2)')!r}")
        folder = self.suite({"id": "c", "prompt": "x", "expect": 1, "runs": 4, "min_rate": 0.75})
        report = self.evaluate(folder, "--llm", "cmd:" + model)
        one = report["cases"][0]
        self.assertEqual((one["passed"], one["rate"], one["holds"]), (3, 0.75, True))
        self.assertAlmostEqual(one["low"], 0.3006, 4) # Wilson, as R's prop.test without correction gives it
        self.assertAlmostEqual(one["high"], 0.9544, 4)
        self.evaluate(self.suite({"id": "c", "prompt": "x", "expect": 1, "runs": 4}), "--llm", "cmd:" + model, code=1)

    def test_tokens_dollars_turns_and_times_are_means(self):
        reply = {"text": fenced("(return 1)"), "tokens": {"input": 10, "output": 5}, "cost_usd": 0.25}
        report = self.evaluate(self.suite({"id": "c", "prompt": "x", "llm": [fenced("1"), reply], "runs": 2}, case("d", "(return 1)", runs=2)))
        self.assertEqual({k: v for k, v in report["cases"][0]["means"].items() if k != "duration_us"},
                         {"turns": 2, "tool_calls": 0, "input_tokens": 10, "output_tokens": 5, "cost_usd": 0.25, "judge_cost_usd": 0})
        self.assertEqual((report["all"]["means"]["turns"], report["all"]["means"]["cost_usd"]), (1.5, 0.125))

    def test_firewalled_values_are_in_no_report(self):
        page = os.path.join(self.folder, "p.html")
        folder = self.suite(case("c", "(return {:n 1 :_key \"hunter2\"})", expect={"n": 2, "_key": "hunter3"}))
        for form in ("json", "text"):
            done = ptcc("eval-agents", folder, "--format", form, "--html", page)
            self.assertNotIn("hunter", done.stdout + done.stderr)
        with open(page, encoding="utf-8") as file:
            self.assertNotIn("hunter2</", file.read().replace("_key", ""))

    def test_the_page_shows_runs_and_takes_texts_as_texts(self):
        page = os.path.join(self.folder, "p.html")
        ptcc("eval-agents", self.suite(case("c", "(return \"<script>alert(1)</script>\")", expect="<b>", prompt="<img src=x>")), "--html", page)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual((text.count("<script>"), text.count("<img"), text.count("alert(1)") > 0), (1, 0, True))
        self.assertIn("Content-Security-Policy", text)
        self.assertEqual(os.stat(page).st_mode & 0o777, 0o600)

    def test_the_sample_holds(self):
        report = self.evaluate(SAMPLE, "--jobs", "4")
        self.assertEqual((report["cases_held"], report["all"]["runs"]), (5, 6))


class Ended(Evals):
    def test_a_signal_leaves_a_report_of_what_was_run(self):
        gate = Gate(self)
        model = self.program("model.py", f"""if 'slow' in r['messages'][0]['content']: {gate.stop}
a['text'] = {fenced('(return 1)')!r}
a['cost_usd'] = 0.5""")
        folder = self.suite({"id": "a", "prompt": "quick", "expect": 1}, {"id": "b", "prompt": "slow", "expect": 1, "runs": 2})
        for number, form in enumerate(("json", "text"), 1):
            run = subprocess.Popen([ptcc_test.PTCC, "eval-agents", folder, "--format", form, "--llm", "cmd:exec " + model],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.addCleanup(run.kill)
            gate.wait_for(number)
            run.send_signal(signal.SIGINT)
            out, err = run.communicate(timeout=SECONDS)
            self.assertEqual(run.returncode, -signal.SIGINT, err)
            if form == "json":
                report = json.loads(out)
                self.assertEqual([one["id"] for one in report["cases"]], ["a"])
                self.assertEqual((report["all"]["runs"], report["all"]["means"]["cost_usd"], report["runs_stopped"]), (1, 0.5, 2))
                self.saved(report) # it can be compared with
            else:
                self.assertIn("ok      a: 1 of 1", out)
                self.assertIn("stopped: 2 runs were not made", out)

    def test_runs_without_a_mission_do_not_make_means_smaller(self):
        recordings = os.path.join(self.folder, "rec")
        reply = {"text": fenced("(return 1)"), "cost_usd": 0.25}
        first = {"id": "c", "prompt": "x", "llm": [reply], "runs": 2, "expect": 1}
        self.evaluate(self.suite(first), "--record", recordings)
        with open(os.path.join(recordings, "c.2.rec"), encoding="utf-8") as file:
            lines = file.read()
        self.file("rec/c.2.rec", lines.replace("\"x\"", "\"y\""))
        report = self.evaluate(self.suite(first), "--replay", recordings, code=1)
        self.assertEqual((report["all"]["runs"], report["all"]["passed"]), (2, 1))
        self.assertEqual((report["all"]["means"]["cost_usd"], report["all"]["means"]["turns"]), (0.25, 1))


class Judges(Evals):
    def test_a_model_that_cannot_be_is_found_before_anything_is_paid(self):
        asked = os.path.join(self.folder, "asked")
        model = self.program("model.py", f"open({asked!r}, 'a').write('x')\na['text'] = {fenced('(return 1)')!r}")
        for judge, arguments in ({"judge": "{{result}}", "llm": "nosuch"}, ()), ({"judge": "{{result}}"}, ("--judge-llm", "model:nosuch")):
            done = ptcc("eval-agents", self.suite({"id": "c", "prompt": "x", "grade": judge}), "--llm", "cmd:" + model, *arguments)
            self.check(done, 2, "")
            self.assertIn("The case `c`: The judge: ", done.stderr)
        self.assertFalse(os.path.exists(asked))

    def test_their_dollars_are_in_the_text_and_count(self):
        said = {"text": '{"pass": true, "note": ""}', "cost_usd": 0.25}
        judge = {"judge": "{{result}}", "llm": [said]}
        reply = {"text": fenced("(return 1)"), "cost_usd": 0.5}
        suite = self.suite({"id": "c", "prompt": "x", "llm": [reply], "grade": [judge, {**judge, "name": "second"}]})
        done = ptcc("eval-agents", suite)
        self.assertIn("$0.5000 and $0.5000 for judges", done.stdout)
        report = self.evaluate(suite, "--max-cost-usd", "0.75", code=1)
        self.assertEqual(grades(report)["judge"][0], True)
        self.assertEqual(grades(report)["second"], (False, "Nothing is left of `max_cost_usd` for the judge."))


class Approvals(Evals):
    def test_calls_are_approved_as_the_command_line_says(self):
        tool = self.program("pay.py", "a['result'] = 1")
        suite = self.suite(case("c", "(return (tool/pay {}))", expect=1), agent={"tools": {"pay": {"signature": "() -> :int", "cmd": tool, "approval": True}}})
        self.evaluate(suite, code=1)
        self.evaluate(suite, "--approve", "never", code=1)
        self.evaluate(suite, "--approve", "always")
        self.evaluate(suite, "--approve", "ask", stdin="y\n")


class Recordings(Evals):
    def setUp(self):
        super().setUp()
        self.folder_of_records = os.path.join(self.folder, "rec")
        self.count = os.path.join(self.folder, "count")
        self.model = "cmd:" + self.program("model.py", f"open({self.count!r}, 'a').write('m')\na['text'] = {fenced('(return (tool/t))')!r}")
        self.judge = "cmd:" + self.program("judge.py", f"open({self.count!r}, 'a').write('j')\na['text'] = '{{\"pass\": true, \"note\": \"Yes.\"}}'")
        tool = self.program("tool.py", f"open({self.count!r}, 'a').write('t')\na['result'] = 5")
        self.cases = self.suite({"id": "c", "prompt": "x", "runs": 2, "expect": 5, "grade": [{"exact": 5}, {"judge": "{{result}}?"}]},
                                tools={"t": {"signature": "() -> :int", "cmd": tool}})

    def calls(self):
        with open(self.count, encoding="utf-8") as file:
            return "".join(sorted(file.read()))

    def record(self, **options):
        return self.evaluate(self.cases, "--record", self.folder_of_records, "--llm", self.model, "--judge-llm", self.judge, **options)

    def test_what_is_recorded_is_replayed_and_costs_nothing(self):
        report = self.record()
        self.assertEqual(self.calls(), "jjmmtt")
        self.assertEqual(sorted(os.listdir(self.folder_of_records)), ["c.1.judge-2.rec", "c.1.rec", "c.2.judge-2.rec", "c.2.rec"])
        for name in ("model.py", "judge.py", "tool.py"):
            os.remove(os.path.join(self.folder, name))
        again = self.evaluate(self.cases, "--replay", self.folder_of_records, "--jobs", "2")
        self.assertEqual(self.record(), again)
        self.assertEqual(self.calls(), "jjmmtt")
        for one in report["cases"][0]["results"]:
            one["replayed"] = True
        self.assertEqual(again, report)

    def test_only_what_is_missing_is_run(self):
        self.record()
        os.remove(os.path.join(self.folder_of_records, "c.2.rec"))
        self.check(ptcc("eval-agents", self.cases, "--replay", self.folder_of_records), 2, "", "There is no recording")
        report = self.record()
        self.assertEqual([run["replayed"] for run in report["cases"][0]["results"]], [True, False])
        self.assertEqual(self.calls(), "jjmmmttt")

    def test_a_recording_of_another_agent_is_told(self):
        self.record()
        report = self.evaluate(self.cases, "--replay", self.folder_of_records, "--prompt", "y", code=1)
        self.assertIn('`messages[0].content` was "x"', report["cases"][0]["results"][0]["error"])

    def test_a_model_that_could_not_be_called_is_asked_again(self):
        failing = self.program("none.py", "a['error'] = {'kind': 'down', 'permanent': True}")
        self.evaluate(self.cases, "--record", self.folder_of_records, "--llm", "cmd:" + failing, "--judge-llm", self.judge, code=1)
        self.assertEqual(os.listdir(self.folder_of_records), [])
        self.assertEqual(self.record()["all"]["passed"], 2)


class Compare(Evals):
    def test_a_case_that_passes_less_often_is_a_regression(self):
        before = self.saved(self.evaluate(self.suite(case("a", "(return 1)", expect=1), case("b", "(return 1)", expect=1), case("c", "(return 1)", expect=2),
                                                     case("gone", "(return 1)")), code=1))
        same = self.suite(case("a", "(return 1)", expect=1), case("b", "(return 1)", expect=1), case("c", "(return 1)", expect=2), case("new", "(return 1)"))
        report = self.evaluate(same, "--before", before) # what failed before may fail
        self.assertEqual({one["id"]: one["change"] for one in report["comparison"]["cases"]},
                         {"a": "same", "b": "same", "c": "same", "gone": "gone", "new": "new"})
        worse = self.suite(case("a", "(return 2)", expect=1), case("b", "(return 1)", expect=1), case("c", "(return 2)", expect=2))
        report = self.evaluate(worse, "--before", before, code=1)
        self.assertEqual((report["comparison"]["worse"], report["comparison"]["better"]), (1, 1))
        self.assertFalse(report["comparison"]["cases"][0]["clear"]) # one run of each says little
        text = ptcc("eval-agents", worse, "--before", before).stdout
        self.assertIn("worse a: 1 of 1, 100 % [21, 100]", text)
        self.assertIn("(may be chance)", text)

    def test_a_change_of_many_runs_is_clear(self):
        before = self.saved(self.evaluate(self.suite(case("a", "(return 1)", expect=1, runs=20))))
        report = self.evaluate(self.suite(case("a", "(return 2)", expect=1, runs=20)), "--before", before, code=1)
        self.assertTrue(report["comparison"]["cases"][0]["clear"])

    def test_what_is_no_report_exits_2(self):
        folder = self.suite(case("a", "(return 1)"))
        for text in ("", "{}", "[]", '{"ptc_eval":1,"cases":[{"id":"a"}]}', '{"ptc_eval":1,"cases":[{"id":"a","runs":1,"passed":2,"means":{}}]}'):
            self.check(ptcc("eval-agents", folder, "--before", self.file("b.json", text)), 2, "")


if __name__ == "__main__":
    ptcc_test.PTCC = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
