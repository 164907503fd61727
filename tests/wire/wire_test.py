#!/usr/bin/env python3
"""ptcc against fake providers: wire_test.py PTCC [unittest's arguments, e.g. Modes or Faults.test_a_fault_that_passes]."""
import itertools
import itertools
import http.client
import json
import os
import re
import signal
import subprocess
import threading
import uuid

from fake_provider import EVENTS, JSON, altered, always, answer, bomb, chunked, cut_in_body, cut_in_headers, endless, hang_up, head, \
    old_http, reset, say, send, silence, slowly, stalled, status, stream_of, trickling, zipped
from wire_case import PROVIDERS, SECONDS, Wire, fenced, main, ptcc_test

GREETING = say("Twelve orders é😀.", tokens=(20, 4, 16))
RETURN = say(fenced("(return 12)"))


class Asked(Wire):
    """What is asked for beside the text, and what comes beside it."""

    WORDS = {"openai": lambda body: (body["reasoning_effort"], body["tool_choice"]),
             "anthropic": lambda body: (body["output_config"]["effort"], body["tool_choice"]["type"]),
             "gemini": lambda body: (body["generationConfig"]["thinkingConfig"]["thinkingLevel"], body["toolConfig"]["functionCallingConfig"]["mode"])}
    SENT = {"openai": ("high", "required"), "anthropic": ("high", "any"), "gemini": ("HIGH", "ANY")}

    def test_effort_and_choice_of_tools(self):
        def check(provider):
            tools = self.tools(find={"signature": "() -> :int", "do": {"return": 7}})
            script = [say(calls=[("call_1", "find", {})]), say("Seven.")]
            done, requests = self.mission(provider, script, "--output", "text", "--tools", tools, "--reasoning-effort", "high", "--tool-choice", "required")
            self.assertEqual(self.result(done), "Seven.")
            self.assertEqual(self.WORDS[provider](requests[0].body), self.SENT[provider])
            self.assertFalse({"tool_choice", "toolConfig"} & set(requests[1].body))
        self.each(zip(PROVIDERS), check)

    def test_reasoning_is_beside_the_text(self):
        def check(provider, *stream):
            done, _ = self.mission(provider, [say("Twelve.", thought="Let me see: twelve.")], "--output", "text", *stream)
            self.assertEqual(self.result(done), "Twelve.")
            self.assertNotIn("Let me see", done.err)
            with open(os.path.join(done.folder, "trace.jsonl"), encoding="utf-8") as file:
                reply = next(event for event in map(json.loads, file) if event["event"] == "llm_reply")
            self.assertEqual((reply["reasoning"], reply["text"], reply["model"]), ("Let me see: twelve.", "Twelve.", f"{provider}:test-model"))
        self.each([(provider, *stream) for provider in (*PROVIDERS, "openrouter") for stream in ((), ("--stream",))], check)

    def test_another_model_answers(self):
        def check(provider, fault):
            other = PROVIDERS[(PROVIDERS.index(provider) + 1) % len(PROVIDERS)]
            with self.fake(provider, always(fault)) as first, self.fake(other, [say("Twelve.", tokens=(30, 5, 0))]) as second:
                environment = {**self.environment(first), **{n: v for n, v in self.environment(second).items() if n in (second.dialect.key_variable, second.dialect.url_variable)}}
                done = self.agent(first, "--output", "text", "--fallback", f"{other}:test-model", environment=environment)
                self.assertEqual(self.result(done), "Twelve.")
                self.assertEqual((len(first.requests), len(second.requests), second.refused), (1, 1, []))
                with open(os.path.join(done.folder, "trace.jsonl"), encoding="utf-8") as file:
                    events = [event for event in map(json.loads, file) if event["event"].startswith("llm_")]
                self.assertEqual([(e["event"], e["model"]) for e in events],
                                 [("llm_retry", f"{provider}:test-model"), ("llm_reply", f"{other}:test-model")])
                self.assertEqual(events[1]["tokens"]["input"], 30)
        self.each(itertools.product(PROVIDERS, (status(429), status(503), hang_up)), check)


class Stops(Wire):
    """Whoever stops, or leaves, ends the call that is under way: the provider, which never answers, sees its connection close."""

    def setUp(self):
        super().setUp()
        self.asked, self.left = threading.Event(), threading.Event()

    def silent(self, connection, request, dialect):
        self.asked.set()
        try:
            connection.wait_for_the_end()
        finally:
            self.left.set()

    def start(self, fake, *arguments):
        return subprocess.Popen([ptcc_test.PTCC, *arguments, "--llm", f"{fake.dialect.name}:test-model", "--output", "text", "--mission-timeout-ms", "480000"],
                                env=self.environment(fake), stdout=subprocess.PIPE, cwd=self.folder)

    def test_ctrl_c(self):
        for provider in PROVIDERS:
            self.asked.clear()
            self.left.clear()
            with self.fake(provider, always(self.silent)) as fake, self.start(fake, "agent", "--step", "--prompt", "How many?") as process:
                self.assertTrue(self.asked.wait(SECONDS))
                process.send_signal(signal.SIGINT)
                out, _ = process.communicate(timeout=SECONDS)
                self.assertEqual(json.loads(out)["fail"]["reason"], "interrupted")
                self.assertTrue(self.left.wait(SECONDS))

    def test_a_client_of_serve_that_leaves(self):
        with self.fake("openai", always(self.silent)) as fake, self.start(fake, "serve", "--port", "0") as server:
            try:
                port = int(re.search(rb":(\d+)", server.stdout.readline())[1])
                client = http.client.HTTPConnection("127.0.0.1", port)
                client.request("POST", "/v1/chat/completions", json.dumps({"model": "agent", "messages": [{"role": "user", "content": "How many?"}]}))
                self.assertTrue(self.asked.wait(SECONDS))
                client.close()
                self.assertTrue(self.left.wait(SECONDS)) # while the server goes on
                self.assertIsNone(server.poll())
            finally:
                server.terminate()


class Modes(Wire):
    """Each provider in each mode."""

    def test_text(self):
        def check(provider):
            done, requests = self.mission(provider, [GREETING], "--output", "text")
            self.assertEqual(self.result(done), "Twelve orders é😀.")
            self.assertEqual(len(requests), 1)
        self.each(zip(PROVIDERS), check)

    def test_programs_in_replies(self):
        def check(provider):
            script = [say(fenced("(def n 5)")), say(fenced("(return (+ n 7))"))]
            done, requests = self.mission(provider, script, "--signature", "() -> :int")
            self.assertEqual(self.result(done), 12)
            self.assertEqual(len(requests), 2)
        self.each(zip(PROVIDERS), check)

    def test_programs_as_calls(self):
        def check(provider):
            options = self.file(provider, json.dumps({"prompt": "How many?", "ptc_transport": "tool_call"}))
            script = [say(calls=[("call_1", "lisp_eval", {"program": "(def n 5)"})]),
                      say("So:", calls=[("call_2", "lisp_eval", {"program": "(return (+ n 7))"})])]
            done, _ = self.mission(provider, script, "--agent", options)
            self.assertEqual(self.result(done), 12)
        self.each(zip(PROVIDERS), check)

    def test_native_tools(self):
        def check(provider):
            tools = self.tools(**{"find_orders": {"signature": "(customer :string) -> [:int]", "description": "Orders.", "do": {"return": [7, 8]}},
                                  "clock": {"signature": "() -> :string", "do": {"raise": "It stands still."}}})
            script = [say("Let me look.", calls=[("call_1", "find_orders", {"customer": "Ann"}), ("call_2", "clock", {})]),
                      say(calls=[("call_3", "find_orders", {"customer": "Bob \"é\" \n"})]), say("Two.")]
            done, requests = self.mission(provider, script, "--output", "text", "--tools", tools)
            self.assertEqual(self.result(done), "Two.")
            self.assertEqual(done.step["usage"]["tool_calls"], 3, str(done))
            self.assertIn("It stands still.", requests[1].raw.decode())
        self.each(zip(PROVIDERS), check)

    def test_programs_beside_native_tools(self):
        def check(provider):
            tools = self.tools(find_orders={"signature": "(customer :string) -> [:int]", "expose": "both", "do": {"return": [7, 8]}})
            options = self.file(provider, json.dumps({"prompt": "How many?", "output": "text", "ptc_transport": "tool_call"}))
            script = [say(calls=[("call_1", "find_orders", {"customer": "Ann"})]),
                      say(calls=[("call_2", "lisp_eval", {"program": '(count (tool/find_orders {:customer "Ann"}))'})]), say("Two.")]
            done, requests = self.mission(provider, script, "--agent", options, "--tools", tools)
            self.assertEqual(self.result(done), "Two.")
            self.assertIn("user=> 2", requests[2].raw.decode())
        self.each(zip(PROVIDERS), check)

    def test_structured_answers(self):
        def check(provider):
            done, requests = self.mission(provider, [say('{"count": 12, "note": null}')], "--output", "text",
                                          "--signature", "() -> {count :int, note :string?}")
            self.assertEqual(self.result(done), {"count": 12, "note": None})
            self.assertIn('"count"', requests[0].raw.decode())
        self.each(zip(PROVIDERS), check)

    def test_names_that_providers_do_not_take(self):
        def check(provider):
            name = "look-up!" + "x" * 80
            tools = self.tools(**{name: {"signature": "() -> :int", "do": {"return": 7}}})

            def call_it(connection, request, dialect):
                sent = json.dumps(request.body["tools"])
                self.assertNotIn("look-up!", sent)
                told = request.body["tools"][0]
                told = told.get("function") or (told.get("functionDeclarations") or [told])[0]
                say(calls=[("call_1", told["name"], {})])(connection, request, dialect)
            done, _ = self.mission(provider, [call_it, say("Seven.")], "--output", "text", "--tools", tools)
            self.assertEqual(self.result(done), "Seven.")
            self.assertEqual(done.step["usage"]["tool_calls"], 1)
        self.each(zip(PROVIDERS), check)

    def test_what_the_provider_wants_back(self):
        """Signed thoughts come back with the call that they led to."""
        def check(provider):
            tools = self.tools(clock={"signature": "() -> :string", "do": {"return": "12:00"}})
            script = [say(calls=[("call_1", "clock", {})], state="c2lnbmVkIQ"), say("Noon.")]
            done, requests = self.mission(provider, script, "--output", "text", "--tools", tools)
            self.assertEqual(self.result(done), "Noon.")
            self.assertEqual(requests[1].raw.decode().count("c2lnbmVkIQ"), 1)
            self.assertNotIn("c2lnbmVkIQ", done.out + done.err)
        self.each([("anthropic",), ("gemini",)], check)

    def test_tokens_and_cost(self):
        def check(provider):
            done, _ = self.mission(provider, [say(fenced("1"), tokens=(1000, 50, 800)), say(fenced("(return 2)"), tokens=(1200, 30, 0))])
            usage = done.step["usage"]
            self.assertEqual((usage["output_tokens"], usage["llm_calls"]), (80, 2), str(done))
            self.assertIn(usage["input_tokens"], (2200, 1400), "the cached ones are in it for every provider, or for none")
        self.each(zip(PROVIDERS), check)


class Compatible(Wire):
    """Servers that speak as OpenAI does, or nearly."""

    def test_a_server_on_this_machine_needs_no_key(self):
        for stream in ((), ("--stream",)):
            done, requests = self.mission("ollama", [GREETING], "--output", "text", *stream)
            self.assertEqual(self.result(done), "Twelve orders é😀.")
            self.assertNotIn("authorization", requests[0].headers)

    def test_the_limit_of_tokens_has_the_name_that_each_takes(self):
        def check(provider, name):
            models = self.file(provider, json.dumps({"mine": {"provider": provider, "model": "test-model", "max_tokens": 77}}))
            done, requests = self.mission(provider, [GREETING], "--output", "text", "--models", models, "--llm", "mine")
            self.result(done)
            self.assertEqual((requests[0].body.get("generationConfig") or requests[0].body)[name], 77)
        self.each([("openai", "max_completion_tokens"), ("openrouter", "max_tokens"), ("ollama", "max_tokens"), ("anthropic", "max_tokens"),
                   ("gemini", "maxOutputTokens")], check)

    def test_an_error_with_the_status_of_a_success(self):
        body = json.dumps({"error": {"code": 429, "message": "Rate limit exceeded."}}).encode()
        done, requests = self.mission("openrouter", [answer(200, JSON, body), RETURN])
        self.assertEqual((self.result(done), len(requests)), (12, 2))

    def test_calls_that_are_written_otherwise(self):
        """As several servers do: arguments as an object, no id, no index, "stop" as the reason, no usage."""
        tools = self.tools(find={"signature": "(n :int) -> :int", "do": {"return": 7}})
        call = {"function": {"name": "find", "arguments": {"n": 1}}, "type": "function"}
        whole = {"choices": [{"message": {"role": "assistant", "tool_calls": [call]}, "finish_reason": "stop"}]}
        parts = [{"choices": [{"delta": {"tool_calls": [call]}}]}, {"choices": [{"delta": {}, "finish_reason": "stop"}]}]
        events = "".join("data: " + json.dumps(part) + "\n\n" for part in parts).encode()
        for first, stream in ((answer(200, JSON, json.dumps(whole).encode()), ()), (answer(200, EVENTS, events), ("--stream",))):
            done, _ = self.mission("ollama", [first, say("Seven.")], "--output", "text", "--tools", tools, *stream)
            self.assertEqual((self.result(done), done.step["usage"]["tool_calls"]), ("Seven.", 1))


class Costs(Wire):
    PRICES = {"input": 1, "output": 10, "cache_read": 0.1}
    numbers = itertools.count() # missions of one test are run side by side: each has files of its own

    def priced(self, provider, script, *arguments, **options):
        name = f"{provider}-{next(self.numbers)}"
        models = self.file(name, json.dumps({"mine": {"provider": provider, "model": "test-model", "prices": self.PRICES}}))
        agent = self.file(name + ".agent", json.dumps({"prompt": "How many?", **options}))
        return self.mission(provider, script, "--models", models, "--llm", "mine", "--agent", agent, *arguments)

    def test_cached_tokens_cost_less_with_each_provider(self):
        def check(provider, *stream):
            script = [say(fenced("1"), tokens=(1000, 50, 800)), say(fenced("(return 2)"), tokens=(1200, 30, 0))]
            done, _ = self.priced(provider, script, *stream)
            self.assertEqual(self.result(done), 2)
            usage = done.step["usage"]
            self.assertEqual((usage["input_tokens"], usage["output_tokens"]), (2200, 80))
            self.assertAlmostEqual(usage["cost_usd"], (200 * 1 + 800 * 0.1 + 50 * 10 + 1200 * 1 + 30 * 10) / 1e6, 9)
        self.each([(provider, *stream) for provider in PROVIDERS for stream in ((), ("--stream",))], check)

    def test_a_mission_ends_where_its_money_does(self):
        def check(provider):
            done, requests = self.priced(provider, always(say(fenced("1"), tokens=(1000, 50, 0))), max_cost_usd=0.002, max_turns=9)
            self.assertEqual((done.code, len(requests)), (1, 2), str(done))
            self.assertIn("budget", done.step["fail"]["reason"])
        self.each(zip(PROVIDERS), check)

    def test_what_the_provider_says_it_cost(self):
        done, _ = self.mission("openrouter", [say(fenced("1")), RETURN])
        self.assertEqual((self.result(done), done.step["usage"]["cost_usd"]), (12, 0.5))


class Parallel(Wire):
    def test_agents_side_by_side(self):
        """Agents that are tools ask at the same time, over connections of one client."""
        def answer_all(provider):
            two = threading.Barrier(2, timeout=SECONDS)  # each has its reply when another one has asked

            def step(connection, request, dialect):
                text = json.dumps(request.body, ensure_ascii=False)
                if "Judge" not in text:
                    return say(fenced("(return (sum (pmap (fn [n] (:twice (tool/judge {:n n}))) (range 1 13))))"))(connection, request, dialect)
                number = int(text.split("Judge ")[1].split(".")[0])
                two.wait()
                say(fenced(f"(return {{:twice {2 * number}}})"))(connection, request, dialect)
            return step

        def check(provider, *stream):
            tools = self.tools(judge={"agent": {"prompt": "Judge {{n}}.", "signature": "(n :int) -> {twice :int}"}})
            with self.fake(provider, always(answer_all(provider))) as fake:
                done = self.agent(fake, "--tools", tools, *stream)
                self.assertEqual((self.result(done), fake.refused, len(fake.requests)), (156, [], 13), str(done))
                self.assertGreater(fake.connections, 1)
        self.each([(provider, *stream) for provider in PROVIDERS for stream in ((), ("--stream",))], check)


class Bodies(Wire):
    """The same reply in all the ways in which HTTP can bring it."""
    WAYS = {"at_once": GREETING, "slowly": slowly(GREETING, 0.002), "chunked": chunked(GREETING), "zipped": zipped(GREETING),
            "old_http": old_http(GREETING)}

    def test_it_is_the_same_reply(self):
        def check(provider, way):
            done, _ = self.mission(provider, [self.WAYS[way]], "--output", "text")
            self.assertEqual(self.result(done), "Twelve orders é😀.")
        self.each(itertools.product(PROVIDERS, self.WAYS), check)

    def test_connections_are_kept(self):
        def check(provider):
            with self.fake(provider, [say(fenced(str(n))) for n in range(4)] + [RETURN]) as fake:
                self.result(self.agent(fake, "--max-turns", "6"))
                self.assertEqual((len(fake.requests), fake.connections), (5, 1))
        self.each(zip(PROVIDERS), check)

    def test_a_kept_connection_that_the_server_closed(self):
        def check(provider):
            def last(connection, request, dialect):
                say(fenced("1"))(connection, request, dialect)
                hang_up(connection, request, dialect)
            with self.fake(provider, [last, last, RETURN]) as fake:
                self.assertEqual(self.result(self.agent(fake)), 12)
                self.assertEqual((len(fake.requests), fake.connections), (3, 3))
        self.each(zip(PROVIDERS), check)

    def test_a_long_prompt(self):
        text = "é" * 500_000

        def check(provider):
            options = self.file(provider, json.dumps({"prompt": text, "output": "text"}))
            done, requests = self.mission(provider, [GREETING], "--agent", options)
            self.result(done)
            self.assertIn(text, json.dumps(requests[0].body, ensure_ascii=False))
        self.each(zip(PROVIDERS), check)


PAGE = answer(200, {"content-type": "text/html"}, b"<html><body>Log in, please.</body></html>")


def truncated(reply):
    return altered(reply, lambda body: body[:-len(body) // 3])


# name: (step, kind, whether it may get better)
FAULTS = {
    "bad_request": (status(400), "invalid_request", False),
    "bad_key": (status(401), "authentication", False),
    "forbidden": (status(403), "permission", False),
    "conflict": (status(409), "conflict", True),
    "request_too_large": (status(413), "too_large", False),
    "rate_limit": (status(429), "rate_limit", True),
    "server_error": (status(500), "server_error", True),
    "bad_gateway": (answer(502, {"content-type": "text/html"}, b"<h1>502 Bad Gateway</h1>"), "server_error", True),
    "unavailable": (status(503), "overloaded", True),
    "gateway_timeout": (answer(504, {}, b""), "timeout", True),
    "overloaded": (status(529), "overloaded", True),
    "no_answer": (hang_up, "network", True),
    "reset": (reset, "network", True),
    "cut_in_headers": (cut_in_headers, ("network", "bad_reply"), True),
    "cut_in_body": (cut_in_body(GREETING), "network", True),
    "not_http": (lambda connection, request, dialect: connection.send(b"SSH-2.0-OpenSSH_9.2\r\n") or connection.reset(), ("network", "bad_reply"), True),
    "page": (PAGE, "bad_reply", True),
    "empty": (answer(200, JSON, b""), "bad_reply", True),
    "empty_object": (answer(200, JSON, b"{}"), "bad_reply", True),
    "null": (answer(200, JSON, b"null"), "bad_reply", True),
    "truncated": (truncated(GREETING), "bad_reply", True),
    "not_text": (answer(200, JSON, b"\xff\xfe\x00\x01"), "bad_reply", True),
    "deep": (answer(200, JSON, b"[" * 100_000), "bad_reply", True),
    "bomb": (bomb, ("bad_reply", "too_large"), None),
    "endless_body": (endless(JSON, b'{"x": "', b"x" * (1 << 20)), "too_large", False),
    "endless_headers": (endless({}, b"", b"x" * 65536), ("network", "bad_reply", "too_large"), None),
}


class Faults(Wire):
    def check_fault(self, done, requests, kind, passes):
        self.assertIsNotNone(done.step, str(done))
        self.assertEqual((done.code, done.step["ok"], done.step["fail"]["reason"]), (1, False, "llm_error"), str(done))
        found, attempts = done.kind
        self.assertIn(found, (kind,) if isinstance(kind, str) else kind, str(done))
        self.assertEqual(attempts, len(requests), str(done))
        if passes is not None:
            self.assertEqual(attempts, 3 if passes else 1, str(done))
        self.assertLess(done.memory, 600 << 20)

    def test_the_right_kind_after_the_right_number_of_attempts(self):
        def check(provider, name):
            step, kind, passes = FAULTS[name]
            done, requests = self.mission(provider, always(step), "--output", "text")
            self.check_fault(done, requests, kind, passes)
        self.each(itertools.product(PROVIDERS, FAULTS), check)

    def test_a_fault_that_passes(self):
        passing = [name for name, (_, _, passes) in FAULTS.items() if passes]

        def check(provider, name):
            done, requests = self.mission(provider, [FAULTS[name][0], RETURN])
            self.assertEqual((self.result(done), len(requests), done.step["usage"]["turns"]), (12, 2, 1))
        self.each(itertools.product(PROVIDERS, passing), check)

    def test_replies_that_are_cut_or_refused(self):
        stops = {"openai": ("length", "content_filter"), "anthropic": ("max_tokens", "refusal"), "gemini": ("MAX_TOKENS", "SAFETY")}

        def check(provider, index, kind):
            done, requests = self.mission(provider, always(say("Twelve ord", stop=stops[provider][index])), "--output", "text")
            self.check_fault(done, requests, kind, False)
        self.each([(provider, index, kind) for provider in PROVIDERS for index, kind in enumerate(("length", "content_filter"))], check)

    def test_no_money_and_no_model(self):
        self.check_fault(*self.mission("openai", always(status(429, kind="insufficient_quota")), "--output", "text"), "quota", False)
        self.check_fault(*self.mission("openai", always(status(404, kind="model_not_found")), "--output", "text"), "model_not_found", False)
        self.check_fault(*self.mission("anthropic", always(status(404, message="model: x")), "--output", "text"), "model_not_found", False)
        self.check_fault(*self.mission("gemini", always(status(404)), "--output", "text"), "model_not_found", False)

    def test_nobody_is_there(self):
        def check(provider):
            with self.fake(provider, []) as fake:
                environment = self.environment(fake)
            done = self.agent(fake, environment=environment)
            self.assertEqual(done.kind, ("network", 3), str(done))
        self.each(zip(PROVIDERS), check)


class Streams(Wire):
    """Replies that are streamed, well and badly."""

    def streamed(self, provider, script, *arguments, **options):
        return self.mission(provider, script, "--stream", "--output", "text", *arguments, **options)

    def test_the_text_as_it_comes(self):
        def check(provider, way):
            step = {"at_once": GREETING, "slowly": slowly(GREETING, 0.002, 9), "chunked": chunked(GREETING, 3), "old_http": old_http(GREETING)}[way]
            done, requests = self.streamed(provider, [step])
            self.assertEqual(self.result(done), "Twelve orders é😀.")
            usage = done.step["usage"]
            self.assertEqual(usage["output_tokens"], 4, str(done))
            self.assertIn("stream", requests[0].path + requests[0].raw.decode())
        self.each(itertools.product(PROVIDERS, ("at_once", "slowly", "chunked", "old_http")), check)

    def test_calls(self):
        def check(provider):
            tools = self.tools(find_orders={"signature": "(customer :string) -> [:int]", "do": {"return": [7, 8]}})
            script = [say("Let me look.", calls=[("call_1", "find_orders", {"customer": "Ann \"é😀\" \\"}), ("call_2", "find_orders", {"customer": "Bob"})]),
                      say("Two.")]
            done, requests = self.streamed(provider, script, "--tools", tools)
            self.assertEqual((self.result(done), done.step["usage"]["tool_calls"]), ("Two.", 2))
            self.assertIn("é😀", json.dumps(requests[1].body, ensure_ascii=False))
        self.each(zip(PROVIDERS), check)

    def test_a_stream_is_one_whatever_it_is_called(self):
        def check(provider, headers):
            events = lambda connection, request, dialect: send(  # noqa: E731
                connection, 200, headers, "".join(dialect.events(GREETING.reply, request) + [dialect.end]).encode())
            self.assertEqual(self.result(self.streamed(provider, [events])[0]), "Twelve orders é😀.")
        kinds = ({"content-type": "Text/Event-Stream"}, {"content-type": "text/plain; charset=utf-8"}, {"content-type": "application/octet-stream"}, {})
        self.each(itertools.product(PROVIDERS, kinds), check)

    def test_a_server_that_does_not_stream(self):
        def check(provider, headers):
            whole = lambda connection, request, dialect: send(connection, 200, headers, json.dumps(dialect.reply(GREETING.reply)).encode())  # noqa: E731
            done, _ = self.streamed(provider, [whole])
            self.assertEqual(self.result(done), "Twelve orders é😀.")
            self.assertIn("Twelve orders é😀.", done.err)
        self.each(itertools.product(PROVIDERS, (JSON, {"content-type": "text/plain"}, {})), check)

    # name: (step, kind, whether it may get better)
    BROKEN = {
        "nothing": (answer(200, EVENTS, b""), ("bad_reply", "network"), True),
        "only_a_comment": (answer(200, EVENTS, b": hello\n\n"), ("bad_reply", "network"), True),
        "malformed": (stream_of(lambda d, r: d.events(GREETING.reply, r)[:2] + ['data: {"choices": [\n\n']), "bad_reply", True),
        "not_events": (PAGE, "bad_reply", True),
        "cut_off": (stream_of(lambda d, r: d.events({"text": "Twelve orders, and more."}, r)[:3]), ("network", "bad_reply"), True),
        "dropped": (cut_in_body(GREETING), "network", True),
        "error_event": (stream_of(lambda d, r: d.events(GREETING.reply, r)[:2] + [d.error_event("The model is overloaded.")]), ("overloaded", "server_error"), True),
        "error_at_once": (stream_of(lambda d, r: [d.error_event("The model is overloaded.")]), ("overloaded", "server_error"), True),
        "endless_line": (endless(EVENTS, b"data: ", b"x" * (1 << 20)), "too_large", False),
        "endless_comments": (endless(EVENTS, b"", (b": " + b"x" * 1000 + b"\n\n") * 1000), "too_large", False),
    }

    def test_streams_that_break(self):
        def check(provider, name):
            step, kind, passes = self.BROKEN[name]
            done, requests = self.streamed(provider, always(step))
            found, attempts = done.kind
            self.assertIn(found, (kind,) if isinstance(kind, str) else kind, str(done))
            self.assertEqual((attempts, len(requests)), (3, 3) if passes else (1, 1), str(done))
            self.assertLess(done.memory, 600 << 20)
        self.each(itertools.product(PROVIDERS, self.BROKEN), check)

    def test_calls_of_a_stream_that_breaks_are_not_made(self):
        def check(provider):
            log = os.path.join(self.folder, provider + ".log")
            tools = self.tools(order={"signature": "() -> :int", "cmd": tool_that_writes(self, log)})
            call = say(calls=[("call_1", "order", {})])
            broken = stream_of(lambda d, r: d.events(call.reply, r)[:-1 if d.name == "gemini" else -2] + [d.error_event("Overloaded.")])
            done, requests = self.streamed(provider, [broken, cut_in_body(call), call, say("Done.")], "--tools", tools)
            self.assertEqual(self.result(done), "Done.")
            self.assertEqual((len(requests), lines_of(log)), (4, 1))
        self.each(zip(PROVIDERS), check)


def tool_that_writes(case, log):
    """A tool with an effect: a line for each call."""
    program = case.file("tool.py", f"""import json, sys
for line in sys.stdin:
    request = json.loads(line)
    open(sys.argv[1], "a").write("called\\n")
    print(json.dumps({{"id": request["id"], "result": 7}}), flush=True)
""")
    return ["python3", program, log]


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return len(file.readlines())


class Effects(Wire):
    """What is tried again is the call of the model, never what has been done."""

    def test_tools_are_called_once(self):
        def check(provider, mode):
            log = os.path.join(self.folder, provider + mode + ".log")
            tools = self.tools(order={"signature": "() -> :int", "cmd": tool_that_writes(self, log)})
            act = say(calls=[("call_1", "order", {})]) if mode == "text" else say(fenced("(def n (tool/order {}))"))
            end = say("7") if mode == "text" else say(fenced("(return n)"))
            database = os.path.join(self.folder, provider + mode + ".db")
            script = [status(500), act, reset, status(429, {"retry-after-ms": "10"}), end]
            done, requests = self.mission(provider, script, "--output", mode, "--tools", tools, "--signature", "() -> :int", "--checkpoint", database)
            self.assertEqual((self.result(done), len(requests), lines_of(log)), (7, 5, 1), str(done))
            self.assertEqual(requests[2].body, requests[3].body)
            self.assertEqual(requests[3].body, requests[4].body)
        self.each(itertools.product(PROVIDERS, ("text", "ptc_lisp")), check)


class Waits(Wire):
    """Retry-After is heeded, deadlines hold. The recording of a mission has the wish that was read, and when its own clock saw the answers.
    Waits for a date are shown by provider_test.cpp, where the date of today is the test's."""

    def wish(self, provider, headers, *arguments):
        """The requests of a mission whose first one is refused, what it came to, and the wish that was read in the refusal."""
        path = os.path.join(self.folder, uuid.uuid4().hex)
        done, requests = self.mission(provider, [status(429, headers), RETURN], "--record", path, *arguments)
        with open(path, encoding="utf-8") as file:
            answers = [line for line in map(json.loads, file) if "answer" in line]
        self.assertEqual((len(answers), answers[0]["llm_error"]["kind"]), (len(requests), "rate_limit"))
        wish = answers[0]["llm_error"].get("retry_after_ms")
        if len(answers) > 1:
            self.assertGreaterEqual(answers[1]["at_ms"] - answers[0]["at_ms"], wish or 0)
        return len(requests), done, wish

    def test_retry_after(self):
        def check(provider, headers, millis):
            requests, done, wish = self.wish(provider, headers)
            self.assertEqual((self.result(done), requests, wish), (12, 2, millis))
        self.each([(provider, headers, millis) for provider in PROVIDERS for headers, millis in
                   (({"retry-after": "1"}, 1000), ({"Retry-After": "0"}, 0), ({"retry-after-ms": "700"}, 700), ({"retry-after": "soon"}, None),
                    ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0))], check)

    def test_a_wish_that_is_none(self):
        """Waits as if nothing had been wished, or not at all."""
        def check(value):
            requests, done, wish = self.wish("openai", {"retry-after": value})
            self.assertEqual((self.result(done), requests, wish), (12, 2, None))
        self.each(zip(("-5", "1e99", "nan", "inf", "0x10", "")), check)

    def test_a_wish_for_more_than_any_mission_waits(self):
        def check(value):
            requests, done, wish = self.wish("openai", {"retry-after": value}, "--mission-timeout-ms", "1000000000")
            self.assertEqual((done.kind, requests, wish), (("rate_limit", 1), 1, 3_600_000), str(done))
        self.each(zip(("3601", "99999999", "9" * 40, "Fri, 31 Dec 2100 23:59:59 GMT")), check)

    def test_a_wait_beyond_the_end_is_not_begun(self):
        def check(provider):
            done, requests = self.mission(provider, always(status(429, {"retry-after": "500"})), "--mission-timeout-ms", "400000")
            self.assertEqual((done.kind[0], len(requests)), ("rate_limit", 1), str(done))
        self.each(zip(PROVIDERS), check)

    # None of them comes to an end: that a mission does is for its time is up.
    ENDLESS = {"silence": silence, "stalled": stalled(GREETING), "trickling": trickling,
               "headers_only": lambda connection, request, dialect: connection.send(head(200, {"content-length": "9"})) or connection.wait_for_the_end(),
               "slow_headers": lambda connection, request, dialect: connection.send(b"HTTP/1.1 200 OK\r\nx: ") or connection.wait_for_the_end()}

    def test_nothing_outlives_the_mission(self):
        def check(provider, name, *arguments):
            done, _ = self.mission(provider, always(self.ENDLESS[name]), "--output", "text", "--mission-timeout-ms", "500", *arguments)
            self.assertEqual(done.code, 1, str(done))
            self.assertIn(done.step["fail"]["reason"], ("mission_timeout", "llm_error"), str(done))
        self.each([(provider, name, *stream) for provider in PROVIDERS for name in self.ENDLESS for stream in ((), ("--stream",))], check)


class Secrets(Wire):
    """The key goes to the provider, and nowhere else."""

    def test_a_server_that_says_it(self):
        def tell(code, kind=None):
            return lambda connection, request, dialect: status(code, {"x-key": self.key}, f"Your key {self.key} is bad, see {request.headers}.", kind)(
                connection, request, dialect)

        def page(connection, request, dialect):
            send(connection, 502, {"content-type": "text/html"}, f"<p>{request.headers}</p>".encode())

        def reply(connection, request, dialect):
            say(f"Your key is {self.key}, is it not?")(connection, request, dialect)

        def program(connection, request, dialect):
            say(fenced(f'(do (println "{self.key}") (return "{self.key}"))'))(connection, request, dialect)

        def call(connection, request, dialect):
            say(calls=[("call_1", "look_up", {"name": "my " + self.key})])(connection, request, dialect)

        def escaped(connection, request, dialect):
            escape = "".join(f"\\u{ord(c):04x}" for c in self.key)
            altered(say("It is KEY."), lambda body: body.replace(b"KEY", escape.encode()))(connection, request, dialect)

        def check(provider, step, *arguments):
            with self.fake(provider, always(step)) as fake:
                self.agent(fake, "--verbose", "--checkpoint", "mission.db", "--max-turns", "2", *arguments)
        text = ("--output", "text", "--tools", self.tools(look_up={"signature": "(name :string) -> :map", "do": {"echo": True}}))
        plain = [(tell(400),), (tell(401),), (tell(429),), (tell(500),), (page,), (program,), (reply, *text), (call, *text), (escaped, *text)]
        streamed = [(step, *text, "--stream") for step in (reply, call, escaped, tell(401))]
        self.each([(provider, *step) for provider in PROVIDERS for step in plain + streamed], check)

    def test_what_waits_to_be_seen_as_the_key_is_shown_in_the_end(self):
        def check(provider):
            done, _ = self.mission(provider, [say(f"Not a key: {self.key[:-1]} {self.key[:9]}")], "--output", "text", "--stream")
            self.assertEqual(self.result(done), f"Not a key: {self.key[:-1]} {self.key[:9]}")
            self.assertIn(self.result(done), done.err)
        self.each(zip(PROVIDERS), check)

    def test_it_is_in_no_request_twice(self):
        def check(provider):
            with self.fake(provider, [GREETING]) as fake:
                self.agent(fake, "--output", "text")
                request = fake.requests[0]
                self.assertEqual(sum(self.key in value for value in request.headers.values()), 1)
                self.assertNotIn(self.key, request.path + request.raw.decode())
        self.each(zip(PROVIDERS), check)

    def test_redirects_are_not_followed(self):
        def check(provider, code):
            with self.fake(provider, always(GREETING)) as other:
                done, requests = self.mission(provider, always(answer(code, {"location": other.url + "/v1/chat/completions"}, b"")), "--output", "text")
                self.assertEqual((done.code, other.requests, len(requests)), (1, [], done.kind[1]), str(done))
        self.each(itertools.product(PROVIDERS, (301, 302, 307, 308)), check)

    def test_without_a_key(self):
        def check(provider):
            with self.fake(provider, []) as fake:
                environment = self.environment(fake, **{fake.dialect.url_variable: "https://provider.test"})
                del environment[fake.dialect.key_variable]
                self.check(self.agent(fake, environment=environment), 2, "", fake.dialect.key_variable)
        self.each(zip(PROVIDERS), check)

    def test_a_key_that_would_be_another_header(self):
        def check(provider):
            with self.fake(provider, always(GREETING)) as fake:
                done = self.agent(fake, environment=self.environment(fake, **{fake.dialect.key_variable: "abc\r\nx-injected: 1"}))
                self.assertFalse([request for request in fake.requests if "x-injected" in request.headers], str(done))
                self.assertNotEqual(done.code, 0)
        self.each(zip(PROVIDERS), check)


if __name__ == "__main__":
    main()
