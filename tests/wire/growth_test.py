#!/usr/bin/env python3
"""How the work of ptcc beside a provider grows, in instructions that callgrind counts: growth_test.py PTCC [unittest's arguments].

Counts are the same on a busy and on a slow machine."""
import itertools
import json
import os
import re
import subprocess
import tempfile

from fake_provider import always, head, say, silence, stalled, stream_of, trickling
from wire_case import PROVIDERS, Wire, main, ptcc_test

GREETING = say("Twelve orders.")


class Growth(Wire):
    def counted(self, provider, script, *arguments):
        """(What came of the mission, the instructions that it took.)"""
        counts = "callgrind.out"
        done, _ = self.mission(provider, script, "--output", "text", *arguments,
                               under=("valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={counts}"))
        with open(os.path.join(done.folder, counts), encoding="utf-8", errors="replace") as file:
            return done, int(re.findall(r"^totals: (\d+)", file.read(), re.MULTILINE)[-1])

    def check_proportion(self, work, size, times=4, most=8):
        """work(n), the instructions for n beyond those for nothing, grows as linear work does: less than eight times as many for four
        times the size, where quadratic work takes sixteen times."""
        few, many = work(size), work(times * size)
        self.assertLess(many, most * few, f"{few} instructions for {size}, {many} for {times * size}")

    def test_many_small_parts_of_a_stream(self):
        def check(provider, is_call):
            def work(count):
                text = "x" * 5 * count
                reply = {"calls": [("call_1", "look_up", {"name": text})]} if is_call else {"text": text}
                parts = stream_of(lambda d, r: [event for event in d.events(reply, r)] + [d.end])
                done, total = self.counted(provider, [parts, GREETING] if is_call else [parts], "--stream", "--tools", tools)
                self.assertEqual(self.result(done), "Twelve orders." if is_call else text)
                return total
            nothing = work(1)
            self.check_proportion(lambda count: work(count) - nothing, 4_000)
        tools = self.tools(look_up={"signature": "(name :string) -> :int", "do": {"return": 7}})
        self.each(itertools.product(PROVIDERS, (False, True)), check)

    def test_a_reply_that_repeats_the_key(self):
        def check(provider):
            def work(count):
                done, total = self.counted(provider, [say(self.key * count)])
                self.assertEqual(done.code, 0, str(done))
                return total
            nothing = work(1)
            self.check_proportion(lambda count: work(count) - nothing, 5_000)
        self.each([("openai",), ("anthropic",), ("gemini",)], check)

    def test_a_trace_of_calls_without_answers(self):
        def event(name, **more):
            return json.dumps({"event": name, "run": 1, "parent": 0, "time": 1, "turn": 1, "agent": "a", "tool": "t", **more}) + "\n"

        def work(count):
            with tempfile.TemporaryDirectory() as folder:
                with open(folder + "/trace", "w", encoding="utf-8") as file:
                    file.write(event("mission_start"))
                    file.writelines(event("tool_start", arguments={"x": i}) for i in range(count))
                    file.writelines(event("tool_call", arguments={"x": -1 - i}) for i in range(count))
                subprocess.run(["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={folder}/counts", ptcc_test.PTCC,
                                "trace", folder + "/trace"], check=True, capture_output=True)
                with open(folder + "/counts", encoding="utf-8", errors="replace") as file:
                    return int(re.findall(r"^totals: (\d+)", file.read(), re.MULTILINE)[-1])
        nothing = work(1)
        self.check_proportion(lambda count: work(count) - nothing, 500)

    WAITS = {"silence": silence, "stalled": stalled(GREETING), "trickling": trickling,
             "headers_only": lambda connection, request, dialect: connection.send(head(200, {"content-length": "9"})) or connection.wait_for_the_end()}

    def test_waiting_is_no_work(self):
        """Eight times the wait takes about the same."""
        def check(name, *arguments):
            def work(millis):
                done, total = self.counted("openai", always(self.WAITS[name]), "--mission-timeout-ms", str(millis), *arguments)
                self.assertEqual(done.code, 1, str(done))
                return total
            self.check_proportion(work, 1_000, 8, 2)
        self.each([(name, *stream) for name in self.WAITS for stream in ((), ("--stream",))], check)


if __name__ == "__main__":
    main()
