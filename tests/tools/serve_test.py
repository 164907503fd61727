#!/usr/bin/env python3
"""Agents served to clients of chat models: serve_test.py PTCC [unittest's arguments]. Clients are sockets of this file, so that they can be
as wrong as they like."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

import http_shapes
import ptcc_test
from agent_test import Agents, fenced, script
from http_shapes import FOREVER
from ptcc_test import SECONDS, patient, ptcc
from waiting import Gate, wait_until

# What the user says decides what the model does; a slow one stops at the gate of the test.
MODEL = """said = r['messages'][-1]['content']
if 'slow' in r['messages'][0]['content']: STOP
if 'loop' in r['messages'][0]['content']: a['text'] = '```clojure\\n1\\n```'
elif 'broken' in said: a['error'] = {'kind': 'server_error', 'message': 'no', 'permanent': True}
elif 'sum' in said: a['text'] = '```clojure\\n(return {:sum 42 :_pin "hunter2"})\\n```'
elif 'give up' in said: a['text'] = '```clojure\\n(fail {:reason :no_data :message "Nothing is there."})\\n```'
elif 'history' in said: a['text'] = '```clojure\\n(return %s)\\n```' % json.dumps(json.dumps([(m['role'], m['content']) for m in r['messages']]))
else: a['text'] = '```clojure\\n(return "You said ' + said.split()[-1] + '")\\n```'
a['tokens'] = {'input': 10, 'output': 4, 'cache_read': 3, 'cache_creation': 0}"""


class Serving(http_shapes.Sockets, Agents):
    def setUp(self):
        super().setUp()
        self.gate = Gate(self)

    def serve(self, *arguments, llm=None, environment=None):
        """Starts a server; gives its process and port."""
        llm = llm or "cmd:exec " + self.program("model.py", MODEL.replace("STOP", self.gate.stop))
        server = subprocess.Popen([ptcc_test.PTCC, *patient("serve", "--port", "0", "--llm", llm, *arguments)], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, env={**os.environ, **(environment or {})}, text=True)
        self.addCleanup(self.end, server)
        line = server.stdout.readline()
        found = re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)/v1\n", line)
        self.assertTrue(found, line + (server.stderr.read() if not line else ""))
        self.port = int(found[1])
        return server

    def end(self, server):
        if server.poll() is None:
            server.kill()
        server.wait(SECONDS)
        server.stdout.close()
        server.stderr.close()

    def request(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        self.addCleanup(connection.close)
        connection.request(method, path, body if isinstance(body, (bytes, str, type(None))) else json.dumps(body), headers or {})
        return connection.getresponse()

    def chat(self, *said, headers=None, **members):
        messages = [m if isinstance(m, dict) else {"role": "user", "content": m} for m in said]
        return self.request("POST", "/v1/chat/completions", {"model": "agent", "messages": messages, **members}, headers)

    def answer(self, *said, **members):
        response = self.chat(*said, **members)
        body = json.loads(response.read())
        self.assertEqual(response.status, 200, body)
        return body

    def refused(self, status, code, response):
        body = json.loads(response.read())
        self.assertEqual((response.status, body["error"]["code"]), (status, code), body)
        self.assertEqual(set(body["error"]), {"message", "type", "param", "code"})
        return body["error"]

    def events(self, response):
        self.assertEqual((response.status, response.getheader("content-type")), (200, "text/event-stream"))
        text = response.read().decode()
        lines = [line for line in text.split("\n\n") if line and not line.startswith(":")]
        self.assertTrue(all(line.startswith("data: ") for line in lines), text)
        self.assertEqual(lines[-1], "data: [DONE]")
        return [json.loads(line[6:]) for line in lines[:-1]]

    def is_answered(self):
        """Whether there is room for a mission, which is done then."""
        try:
            return self.chat("Hello there").status == 200
        except (ConnectionError, http.client.HTTPException):
            return False

    def has_stopped_listening(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), SECONDS).close()
        except ConnectionError:
            return True
        return False

    def raw(self, said, **members):
        body = json.dumps({"model": "agent", "messages": [{"role": "user", "content": said}], **members}).encode()
        return b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body


class Attached(Serving):
    SEEN = "a['text'] = '```clojure\\n(return ' + json.dumps(json.dumps([[m['content'], [[x['kind'], x['media_type'], x.get('url')] for x in m.get('attachments', [])]] for m in r['messages']])) + ')\\n```'"
    IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}

    def seen(self):
        self.serve("--name", "agent", llm="cmd:exec " + self.program("seen.py", self.SEEN))

    def test_images_and_files_of_a_chat_go_to_the_model(self):
        self.seen()
        pdf = {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0xLjc="}}
        there = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
        body = self.answer({"role": "user", "content": [self.IMAGE, {"type": "text", "text": "One?"}]}, {"role": "assistant", "content": "Yes."},
                           {"role": "user", "content": [{"type": "text", "text": "Two?"}, pdf, there]})
        self.assertEqual(json.loads(body["choices"][0]["message"]["content"]),
                         [["One?", [["image", "image/png", None]]], ["Yes.", []],
                          ["Two?", [["file", "application/pdf", None], ["image", "", "https://example.com/a.png"]]]])

    def test_of_responses_too(self):
        self.seen()
        parts = [{"type": "input_text", "text": "What?"}, {"type": "input_image", "image_url": self.IMAGE["image_url"]["url"]},
                 {"type": "input_file", "filename": "a.txt", "file_data": "aGk="}]
        response = self.request("POST", "/v1/responses", {"model": "agent", "input": [{"role": "user", "content": parts}]})
        body = json.loads(response.read())
        self.assertEqual(response.status, 200, body)
        self.assertEqual(json.loads(body["output"][0]["content"][0]["text"]), [["What?", [["image", "image/png", None], ["file", "text/plain", None]]]])

    def test_what_the_model_does_not_take_is_the_clients_mistake(self):
        self.serve(llm="cmd:exec " + self.program("blind.py", "a['error'] = {'kind': 'unsupported_input', 'message': 'no images', 'permanent': True}"))
        self.refused(400, "unsupported_content", self.chat({"role": "user", "content": [self.IMAGE]}))

    def test_what_is_none_is_refused(self):
        self.seen()
        for part in ({"type": "image_url", "image_url": {"url": "data:image/png,raw"}}, {"type": "image_url", "image_url": {"url": "file:///etc/passwd"}},
                     {"type": "input_image", "file_id": "file-1"}, {"type": "file", "file": {"file_id": "file-1"}}, {"type": "input_audio"}):
            self.refused(400, "unsupported_content", self.chat({"role": "user", "content": [part]}))
        self.refused(400, "unsupported_content", self.chat({"role": "system", "content": [self.IMAGE]}, "Hi"))


class Shapes(http_shapes.Shapes, Serving):
    PATH, HEADERS, BODY_LIMIT = b"/v1/chat/completions", b"Content-Type: application/json\r\n", "--max-body-bytes"

    def start_server(self, *arguments, environment=None):
        self.serve(*arguments, environment=environment)

    def body(self, said, stays=False):
        return {"model": "agent", "messages": [{"role": "user", "content": "slow" if stays else said}]}


class Framing(Serving):
    def test_a_client_that_sent_more_than_its_request_is_missed_too(self):
        self.serve("--max-missions", "1", "--max-turns", "1000000")
        client = self.socket(self.raw("slow loop"))
        self.gate.wait_for(1)
        client.sendall(b"\r\n")
        self.refused(429, "too_many_missions", self.chat("Hello there"))
        client.close()
        self.gate.open()
        wait_until(self.is_answered, "the place of a mission that ends for want of a client only")

    def test_programs_get_none_of_the_servers_sockets(self):
        self.serve(llm="cmd:exec " + self.program("fds.py", "a['text'] = '```clojure\\n(return %d)\\n```' % len(os.listdir('/proc/self/fd'))"))
        self.assertLessEqual(int(self.answer("Hello")["choices"][0]["message"]["content"]), 4) # 0, 1, 2 and the folder itself


class Chat(Serving):
    def test_a_reply_has_the_result_and_what_it_cost(self):
        self.serve()
        begin = int(time.time())
        body = self.answer("Hello there")
        end = time.time()
        self.assertEqual(body["choices"], [{"index": 0, "message": {"role": "assistant", "content": "You said there", "refusal": None},
                                            "logprobs": None, "finish_reason": "stop"}])
        self.assertEqual(body["usage"], {"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14,
                                         "prompt_tokens_details": {"cached_tokens": 3}})
        self.assertEqual((body["object"], body["model"]), ("chat.completion", "agent"))
        self.assertTrue(begin <= body["created"] <= end, body["created"])

    def test_values_are_json_and_firewalled_ones_are_not_told(self):
        self.serve()
        self.assertEqual(json.loads(self.answer("sum")["choices"][0]["message"]["content"]), {"sum": 42, "_pin": "<Firewalled>"})

    def test_a_stream(self):
        self.serve()
        events = self.events(self.chat("Hello there", stream=True))
        self.assertEqual([e["choices"][0]["delta"] for e in events],
                         [{"role": "assistant", "content": "", "refusal": None}, {"content": "You said there"}, {}])
        self.assertEqual([e["choices"][0]["finish_reason"] for e in events], [None, None, "stop"])
        self.assertEqual(len({e["id"] for e in events}), 1)
        events = self.events(self.chat("Hello there", stream=True, stream_options={"include_usage": True}))
        self.assertEqual([e["usage"] and e["usage"]["total_tokens"] for e in events], [None, None, None, 14])
        self.assertEqual(events[-1]["choices"], [])

    def test_earlier_messages_are_history(self):
        self.serve()
        said = self.answer({"role": "system", "content": "Be brief."}, "one", {"role": "assistant", "content": "ONE"},
                           {"role": "developer", "content": "And kind."}, {"role": "user", "content": [{"type": "text", "text": "history"}]})
        self.assertEqual(json.loads(said["choices"][0]["message"]["content"]),
                         [["user", "Be brief.\n\none"], ["assistant", "ONE"], ["user", "And kind.\n\nhistory"]])

    def test_the_prompt_is_told_about_all_missions(self):
        model = self.program("model.py", "a['text'] = '```clojure\\n(return %s)\\n```' % json.dumps('Serve 20 guests.' in r['system'])")
        self.serve("--prompt", "Serve {{n}} guests.", "--data", "n=" + self.file("n.json", "20"), llm="cmd:" + model)
        self.assertEqual(self.answer("x")["choices"][0]["message"]["content"], "true")

    def test_models(self):
        self.serve("--name", "the cook")
        listed = json.loads(self.request("GET", "/v1/models").read())
        self.assertEqual([m["id"] for m in listed["data"]], ["the cook"])
        self.assertEqual(json.loads(self.request("GET", "/v1/models/the%20cook").read()), listed["data"][0])
        self.refused(404, "model_not_found", self.request("GET", "/v1/models/gpt"))
        self.refused(404, "model_not_found", self.chat("x"))

    def test_failed_missions_are_errors_with_their_reason(self):
        self.serve("--max-turns", "2")
        self.assertEqual(self.refused(400, "no_data", self.chat("give up"))["message"], "Nothing is there.")
        response = self.chat("give up", stream=True)
        self.assertEqual(response.getheader("x-should-retry"), "false")
        self.refused(400, "no_data", response)

    def test_a_model_that_fails_is_a_bad_gateway(self):
        self.serve()
        self.refused(502, "llm_error", self.chat("broken"))
        self.serve("--agent", self.file("agent.json", json.dumps({"prompt": "x", "mission_timeout": 300})))
        self.refused(400, "mission_timeout", self.chat("slow"))

    def test_a_stream_is_kept_alive_and_its_errors_are_events(self):
        self.serve("--keep-alive-ms", "50")
        response = self.chat("slow", "broken", stream=True)
        text = b""
        while b"\n\n: the agent works\n\n" not in text:
            piece = response.read1(65536)
            self.assertTrue(piece, text)
            text += piece
        self.gate.open()
        text = (text + response.read()).decode()
        self.assertEqual(json.loads(text.split("data: ")[-1])["error"]["code"], "llm_error")
        self.assertNotIn("[DONE]", text)
        self.gate.shut()
        self.serve("--keep-alive-ms", "50", "--mission-timeout-ms", "400")
        text = self.chat("slow", stream=True).read().decode()
        self.assertEqual(json.loads(text.split("data: ")[-1])["error"]["code"], "mission_timeout")
        self.assertNotIn("[DONE]", text)

    def test_text_is_streamed_as_the_model_says_it(self):
        self.serve("--output", "text", llm="script:" + self.file("r.jsonl", '"Grüße, Jürgen"\n"again"\n'))
        events = self.events(self.chat("x", stream=True))
        self.assertEqual("".join(e["choices"][0]["delta"].get("content", "") for e in events), "Grüße, Jürgen")
        self.assertEqual(self.answer("y")["choices"][0]["message"]["content"], "again")

    def test_traces(self):
        self.serve("--trace", self.folder)
        response = self.chat("x")
        id = json.loads(response.read())["id"]
        self.assertEqual(response.getheader("x-request-id"), id)
        self.assertTrue(self.chat("x", stream=True).getheader("x-request-id").startswith("chatcmpl-"))
        self.check(ptcc("trace", os.path.join(self.folder, id + ".jsonl")), 0, err="")


class Responses(Serving):
    """The wire of OpenAI's responses."""

    def post(self, said, **members):
        return self.request("POST", "/v1/responses", {"model": "agent", "input": said, **members})

    def test_a_reply(self):
        self.serve()
        body = json.loads(self.post("the sum").read())
        self.assertEqual((body["object"], body["status"], body["model"], body["error"]), ("response", "completed", "agent", None))
        message, = body["output"]
        self.assertEqual((message["type"], message["role"], message["status"]), ("message", "assistant", "completed"))
        self.assertEqual([(part["type"], part["text"]) for part in message["content"]], [("output_text", '{"_pin":"<Firewalled>","sum":42}')])
        self.assertEqual(body["usage"]["input_tokens_details"]["cached_tokens"], 3)
        self.assertEqual((body["usage"]["input_tokens"], body["usage"]["output_tokens"], body["usage"]["total_tokens"]), (10, 4, 14))

    def test_conversations(self):
        self.serve()
        said = [{"role": "user", "content": [{"type": "input_text", "text": "one"}]},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ONE", "annotations": []}], "id": "msg_1", "status": "completed"},
                {"type": "reasoning", "id": "rs_1", "summary": []}, {"role": "user", "content": "the history"}]
        body = json.loads(self.post(said, instructions="Be brief.", tools=[], store=True, include=[]).read())
        history = json.loads(body["output"][0]["content"][0]["text"])
        self.assertEqual(history, [["user", "Be brief.\n\none"], ["assistant", "ONE"], ["user", "the history"]])

    def test_a_stream(self):
        self.serve()
        response = self.post("the sum", stream=True)
        self.assertEqual((response.status, response.getheader("content-type")), (200, "text/event-stream"))
        blocks = [block.split("\n") for block in response.read().decode().split("\n\n") if block and not block.startswith(":")]
        events = [json.loads(data.removeprefix("data: ")) for _, data in blocks]
        self.assertEqual([name.removeprefix("event: ") for name, _ in blocks], [event["type"] for event in events])
        self.assertEqual([event["sequence_number"] for event in events], list(range(len(events))))
        self.assertEqual([event["type"] for event in events],
                         ["response.created", "response.in_progress", "response.output_item.added", "response.content_part.added",
                          "response.output_text.delta", "response.output_text.done", "response.content_part.done", "response.output_item.done",
                          "response.completed"])
        self.assertEqual(events[4]["delta"], '{"_pin":"<Firewalled>","sum":42}')
        self.assertEqual(events[-1]["response"]["output"][0]["content"][0]["text"], '{"_pin":"<Firewalled>","sum":42}')
        self.assertEqual(events[-1]["response"]["usage"]["total_tokens"], 14)

    def test_what_the_client_said_is_repeated(self):
        self.serve()
        format = {"type": "json_schema", "name": "n", "schema": {"type": "object"}}
        self.serve("--agent", self.file("agent.json", json.dumps({"signature": "() -> :map"})))
        said = {"metadata": {"k": "v"}, "instructions": "I", "temperature": 0.5, "max_output_tokens": 64, "text": {"format": format}}
        body = json.loads(self.post("the sum", **said).read())
        self.assertEqual({name: body[name] for name in said}, said)
        body = json.loads(self.post("the sum").read())
        self.assertEqual([body[name] for name in said], [{}, None, None, None, {"format": {"type": "text"}}])

    def test_a_failure_behind_the_beginning_of_a_stream_has_an_error_within(self):
        self.serve("--keep-alive-ms", "50", llm="cmd:exec " + self.program("model.py", MODEL.replace("STOP", self.gate.stop)))
        response = self.post([{"role": "user", "content": "slow"}, {"role": "assistant", "content": "x"}, {"role": "user", "content": "give up"}],
                             stream=True)
        text = b""
        while b": the agent works" not in text:
            text += response.read1(1000)
        self.gate.open()
        event = json.loads((text + response.read()).decode().strip().split("data: ")[-1])
        self.assertEqual((event["type"], event["code"], event["error"]["code"], event["error"]["message"]),
                         ("error", "no_data", "no_data", "Nothing is there."))

    def test_what_cannot_be_had(self):
        self.serve()
        reference = self.post([{"type": "item_reference", "id": "msg_1"}, {"role": "user", "content": "x"}])
        self.assertIn("store: false", self.refused(400, "unsupported_item", reference)["message"])
        call = [{"type": "function_call_output", "call_id": "c", "output": "x"}]
        for said, members in (("x", {"previous_response_id": "resp_1"}), ("x", {"tools": [{"type": "web_search"}]}), ("x", {"background": True}), (call, {})):
            response = self.post(said, **members)
            self.assertEqual(response.status, 400, members)
            self.assertIn(json.loads(response.read())["error"]["code"], ("unsupported_parameter", "unsupported_item"))
        self.refused(400, "no_data", self.post("give up"))
        self.assertEqual(self.request("GET", "/v1/responses").status, 405)


class Schemas(Serving):
    """response_format json_schema: when it fits the agent's type."""
    NUMBER = {"type": "number"}

    def asked(self, schema, **members):
        return self.chat("the sum", response_format={"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}, **members)

    def object(self, required=None, **properties):
        return {"type": "object", "properties": properties, "required": list(properties) if required is None else required, "additionalProperties": False}

    def test_one_that_fits_is_taken(self):
        self.serve("--signature", "{sum :int, _pin :string}")
        for schema in (self.object(sum=self.NUMBER), self.object(sum={"type": "integer"}), self.object(required=["sum"], sum=self.NUMBER, note={"type": "string"})):
            body = json.loads(self.asked(schema).read())
            self.assertEqual(json.loads(body["choices"][0]["message"]["content"]), {"sum": 42})
        body = json.loads(self.request("POST", "/v1/responses", {"model": "agent", "input": "the sum", "text": {
            "format": {"type": "json_schema", "name": "answer", "strict": True, "schema": self.object(sum=self.NUMBER)}}}).read())
        self.assertEqual(body["output"][0]["content"][0]["text"], '{"sum":42}')

    def test_the_reply_has_the_shape_of_the_schema(self):
        self.serve("--signature", "{kind :enum[a b], note :string?, rows [{n :int, m :int?}]}",
                   llm="script:" + self.file("r.jsonl", script("(return {:kind :a :more 1 :rows [{:n 1 :x 2} {:n 2 :m 3}]})")))
        row = {"type": "object", "properties": {"n": self.NUMBER, "m": {"type": ["number", "null"]}}, "required": ["n", "m"], "additionalProperties": False}
        schema = {"type": "object", "$defs": {"row": row}, "required": ["kind", "rows", "note"], "additionalProperties": False, "properties": {
            "kind": {"enum": ["a", "b", "c"]}, "note": {"type": ["string", "null"]}, "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}}}}
        body = json.loads(self.asked(schema).read())
        self.assertEqual(json.loads(body["choices"][0]["message"]["content"]),
                         {"kind": "a", "note": None, "rows": [{"n": 1, "m": None}, {"n": 2, "m": 3}]})
        schema["properties"]["kind"] = {"enum": ["a"]}
        self.assertIn("At `kind`", self.refused(400, "unsupported_parameter", self.asked(schema))["message"])

    def test_the_bounds_that_clients_add_to_each_integer_are_none(self):
        self.serve("--signature", "{sum :int, _pin :string}")
        most = 2**53 - 1
        number = {"type": "integer", "minimum": -most, "maximum": most}
        self.assertEqual(self.asked(self.object(sum=number)).status, 200)
        self.refused(400, "unsupported_parameter", self.asked(self.object(sum={**number, "maximum": 100})))

    def test_an_agent_of_any_answers_takes_the_clients_type(self):
        programs = self.file("r.jsonl", script('(return {:sum "x"})', "(return {:sum 42})", "(return 7)", "(return {:a 1})"))
        self.serve("--retry-turns", "1", "--max-turns", "1", llm="script:" + programs)
        self.assertEqual(json.loads(self.asked(self.object(sum={"type": "integer"})).read())["choices"][0]["message"]["content"], '{"sum":42}')
        body = json.loads(self.chat("x", response_format={"type": "json_object"}).read())
        self.assertEqual(body["choices"][0]["message"]["content"], '{"a":1}')

    def test_one_that_does_not_fit_is_refused_with_the_place(self):
        self.serve("--signature", "{sum :int, _pin :string}")
        for schema, why in ((self.object(sum={"type": "string"}), "At `sum`"), (self.object(total=self.NUMBER), "`total`"), (self.object(), "`sum`"),
                            ({"type": "array", "items": {}}, "The agent gives")):
            error = self.refused(400, "unsupported_parameter", self.asked(schema))
            self.assertEqual(error["param"], "response_format")
            self.assertIn(why, error["message"])


class Approval(Serving):
    """A call that needs approval is asked for in the chat; the mission waits in the server."""

    PAY = """(loop [i 1 out []] (if (< i 3) (recur (inc i) (conj out (tool/pay {:amount i}))) (return out)))"""

    def setUp(self):
        super().setUp()
        self.log = os.path.join(self.folder, "paid")
        pay = {"signature": "(amount :int) -> :string", "description": "Pays somebody.", "approval": True,
               "cmd": "exec " + self.program("pay.py", "open(%r, 'a').write('x')\na['result'] = 'paid %%d' %% r['arguments']['amount']" % self.log)}
        self.with_tools = ("--tools", self.tools(pay=pay))
        self.llm = "script:" + self.file("replies.jsonl", script(self.PAY))

    def paid(self):
        return os.path.getsize(self.log) if os.path.exists(self.log) else 0

    def said(self, *messages):
        """Goes on with a chat of user and assistant in turns."""
        roles = [{"role": "assistant" if i % 2 else "user", "content": said} for i, said in enumerate(messages)]
        return self.answer(*roles)["choices"][0]["message"]["content"]

    def test_a_chat_approves_changes_and_denies(self):
        self.serve(*self.with_tools, llm=self.llm)
        first = self.said("Pay them")
        self.assertRegex(first, r'(?s)^I want to call `pay` with \{"amount":1\}, at line 1 of my program\.\nPays somebody\.\n.*'
                                r'\[approval [0-9a-f]{32}\]$')
        self.assertEqual(self.paid(), 0)
        second = self.said("Pay them", first, 'approve {"amount": 5}')
        self.assertIn('with {"amount":2}', second)
        self.assertIn("```clojure\n" + self.PAY, second)
        self.assertIn('Done so far: `pay` {"amount":5} -> "paid 5"\n', second)
        self.assertEqual(self.paid(), 1)
        self.assertEqual(self.said("Pay them", first, 'approve {"amount": 5}', second, "Yes."), '["paid 5","paid 2"]')
        self.assertEqual(self.paid(), 2)

    def test_what_guards_ask_about_is_asked_in_the_chat(self):
        asks = {"prompt": "Pay.", "signature": "() -> :int", "guards": [
            {"name": "eyes", "at": ["before_model", "before_program", "result"], "program": '(if (and (= data/point "before_model") (not= data/value "Go")) true {:ask (str "At " data/point "?")})'}]}
        self.serve("--agent", self.file("asks.json", json.dumps(asks)), llm="script:" + self.file("g.jsonl", script("(return 1)", "(return 2)", "(return 3)")))
        said = ["Go"]
        for point, answer in (("before_model", "approve"), ("before_program", "approve"), ("result", "no, more"), ("before_program", "approve"), ("result", 'approve {"value": 7}')):
            asked = self.said(*said)
            self.assertIn(f"The guard `eyes` asks: At {point}?", asked)
            said += [asked, answer]
        self.assertEqual(self.said(*said), "7")

    def test_an_answer_counts_once(self):
        self.serve(*self.with_tools, llm=self.llm)
        first = self.said("Pay them")
        self.said("Pay them", first, "approve")
        again = [{"role": "user", "content": "Pay"}, {"role": "assistant", "content": first}, {"role": "user", "content": "approve"}]
        self.refused(409, "approval_unknown", self.chat(*again))
        self.serve(*self.with_tools, llm="script:" + self.file("b.jsonl", script(self.PAY)))
        again[1]["content"] = self.said("Pay them")[:-1] + "0]"
        self.refused(409, "approval_unknown", self.chat(*again))
        self.assertEqual(self.paid(), 1)

    def test_anything_else_denies_and_is_the_reason(self):
        denied = "(return (try (tool/pay {:amount 1}) (catch Exception e (ex-message e))))"
        self.serve(*self.with_tools, llm="script:" + self.file("r.jsonl", script(denied)))
        first = self.said("Pay them")
        self.assertEqual(self.said("Pay them", first, "not before Monday"), "The call of the tool `pay` was not approved: not before Monday")
        self.assertEqual(self.paid(), 0)

    def test_a_token_is_what_an_answer_needs(self):
        keys = {"PTC_SERVE_KEY": "sk-right-key"}
        self.serve(*self.with_tools, "--key-env", "PTC_SERVE_KEY", llm=self.llm, environment=keys)
        mine, other = ({"Authorization": f"Bearer {key}"} for key in ("sk-right-key", "sk-other-key"))
        first = self.chat("Pay them", headers=mine)
        first = json.loads(first.read())["choices"][0]["message"]["content"]
        said = lambda text: [{"role": "user", "content": "Pay them"}, {"role": "assistant", "content": text}, {"role": "user", "content": "approve"}]
        self.refused(401, "invalid_api_key", self.chat(*said(first), headers=other))
        self.refused(401, "invalid_api_key", self.chat(*said(first)))
        token = first[-33:-1]
        for guess in (token[:-1], token[:-1] + ("0" if token[-1] != "0" else "1"), "0" * 32, token + token, " " + token):
            self.refused(409, "approval_unknown", self.chat(*said(first.replace(token, guess)), headers=mine))
        self.assertEqual(self.paid(), 0)
        # One that cannot be followed leaves the mission as it was.
        schema = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "array", "items": {"type": "string"}}}}
        self.refused(409, "approval_unfit", self.chat(*said(first), headers=mine, response_format=schema))
        self.assertEqual(self.paid(), 0)
        self.assertEqual(self.chat(*said(first), headers=mine).status, 200)
        self.assertEqual(self.paid(), 1)

    def test_a_mission_has_one_trace_however_often_it_asks(self):
        folder = os.path.join(self.folder, "traces")
        os.mkdir(folder)
        self.serve(*self.with_tools, "--trace", folder, llm=self.llm)
        first = self.said("Pay them")
        second = self.said("Pay them", first, "approve")
        self.assertEqual(self.said("Pay them", first, "approve", second, "approve"), '["paid 1","paid 2"]')
        name, = os.listdir(folder)
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            events = [json.loads(line)["event"] for line in file]
        self.assertEqual((events.count("mission_start"), events.count("mission_stop"), events.count("tool_call")), (1, 1, 2), events)
        self.check(ptcc("trace", os.path.join(folder, name)), 0, err="")

    def test_a_stream_and_the_other_modes(self):
        self.serve(*self.with_tools, llm=self.llm)
        events = self.events(self.chat("Pay them", stream=True))
        self.assertIn("I want to call", "".join(e["choices"][0]["delta"].get("content", "") for e in events))
        self.serve(*self.with_tools, "--approve", "always", llm="script:" + self.file("b.jsonl", script(self.PAY)))
        self.assertEqual(self.said("Pay them"), '["paid 1","paid 2"]')
        self.serve(*self.with_tools, "--approve", "never", llm="script:" + self.file("c.jsonl", script(self.PAY, '(return "no")')))
        self.assertEqual(self.said("Pay them"), "no")


class Abandoned(Serving):
    def test_a_request_that_nobody_waits_for_frees_its_place(self):
        model = self.program("model.py", "if 'slow' in r['messages'][0]['content']: %s\na['text'] = %r" % (self.gate.stop, fenced("(return 1)")))
        self.serve("--max-missions", "1", llm="cmd:exec " + model)
        client = self.socket(self.raw("slow"))
        self.gate.wait_for(1)
        client.close()
        wait_until(self.is_answered, "the place of a mission whose model never answers") # the gate stays shut

    def test_nor_does_a_tool_that_works_keep_it(self):
        path = os.path.join(self.folder, "ended")
        tool = self.program("tool.py", "%s\nopen(%r, 'w').close()\na['value'] = 1" % (self.gate.stop, path))
        model = self.program("model.py", "a['text'] = %r if 'slow' in r['messages'][0]['content'] else %r" %
                             (fenced("(return (tool/work))"), fenced("(return 1)")))
        tools = self.file("tools.json", json.dumps({"work": {"signature": "() -> :int", "cmd": "exec " + tool}}))
        self.serve("--max-missions", "1", "--tools", tools, "--keep-alive-ms", "40000000", llm="cmd:exec " + model)
        client = self.socket(self.raw("slow"))
        self.gate.wait_for(1)
        client.close()
        wait_until(self.is_answered, "the place of a mission whose tool never answers")
        self.assertFalse(os.path.exists(path))


class Prompt(Serving):
    def test_the_agents_suffix_stays(self):
        agent = self.file("agent.json", json.dumps({"prompt": "Be kind to {{who}}.", "system_prompt": "Talk like a pirate."}))
        who = self.file("who.json", '"Ann"')
        path = os.path.join(self.folder, "seen")
        model = self.program("model.py", f"open({path!r}, 'a').write(r['system'])\na['text'] = {fenced('(return 1)')!r}")
        self.serve("--agent", agent, "--data", "who=" + who, llm="cmd:exec " + model)
        self.answer("x")
        with open(path, encoding="utf-8") as file:
            system = file.read()
        self.assertIn("## Instructions\nBe kind to Ann.\n", system)
        self.assertTrue(system.endswith("Talk like a pirate."))


class Faults(Serving):
    def test_requests_that_cannot_be_answered(self):
        self.serve()
        tool = {"type": "function", "function": {"name": "f"}}
        for code, param, members in (("unsupported_parameter", "tools", {"tools": [tool]}), ("unsupported_parameter", "n", {"n": 2}),
                                     (None, "stream", {"stream": 1}), (None, "messages", {"messages": []}), (None, "messages", {"messages": 7}),
                                     (None, "messages", {"messages": [{"role": "assistant", "content": "x"}]}),
                                     ("unsupported_role", "messages[0].role", {"messages": [{"role": "tool", "content": "x"}]}),
                                     ("unsupported_content", "messages[0].content[0]",
                                      {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}), (None, "model", {"model": None}),
                                     ("unsupported_parameter", "stop", {"stop": ["\n"]}), ("unsupported_parameter", "logprobs", {"logprobs": True}),
                                     (None, "max_tokens", {"max_tokens": 0}), (None, "temperature", {"temperature": "hot"}),
                                     (None, "temperature", {"temperature": 9})):
            self.assertEqual(self.refused(400, code, self.chat("x", **members))["param"], param)
        self.serve("--signature", "() -> [:int]")
        self.refused(400, "unsupported_parameter", self.chat("x", response_format={"type": "json_object"}))
        self.serve()
        for body in ("", "{", "[]", "7", '{"a":' * 600, b"\xff"):
            self.refused(400, "invalid_json", self.request("POST", "/v1/chat/completions", body))
        self.answer("x", tools=[], n=1, stop=[], logprobs=False, temperature=0.5, max_tokens=5, unknown={"a": 1}, response_format={"type": "text"}, stream=None)

    def test_paths_and_methods_that_are_none(self):
        self.serve()
        for path in ("/", "/v1", "/v1/completions", "/v1/chat/completions/x", "/v1/models/", "//v1/models", "/v1/modelsx"):
            self.refused(404, "unknown_url", self.request("GET", path))
        response = self.request("GET", "/v1/chat/completions?x=1")
        self.assertEqual(response.getheader("allow"), "POST")
        self.refused(405, "method_not_allowed", response)
        for method in ("POST", "DELETE", "OPTIONS"):
            self.refused(405, "method_not_allowed", self.request(method, "/v1/models"))

    def test_bodies_and_headers_at_their_limits(self):
        self.serve("--max-body-bytes", "1000")
        start, end = '{"model":"agent","messages":[{"role":"user","content":"', '"}]}'
        for size, status in ((1000, 200), (1001, 413), (1000, 200)):
            response = self.request("POST", "/v1/chat/completions", start + "x" * (size - len(start) - len(end)) + end)
            self.assertEqual(response.status, status)
        head = "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: "
        for size, status in ((32 << 10, b" 200 "), ((32 << 10) + 100, b" 431 "), (32 << 10, b" 200 ")): # the first line is not counted
            client = self.socket((head + "y" * (size - len(head) - 4) + "\r\n\r\n").encode())
            self.assertIn(status, self.read_all(client).split(b"\r\n")[0], size)

    def test_one_connection_for_many_requests_also_sent_at_once(self):
        self.serve()
        client = self.socket(self.raw("one") + self.raw("two", stream=True) + self.raw("three").replace(b"Host", b"Connection: close\r\nHost"))
        data = self.read_all(client)
        self.assertEqual(data.count(b"HTTP/1.1 200 OK"), 3)
        self.assertLess(data.index(b"You said one"), data.index(b"You said two"))
        self.assertLess(data.index(b"You said two"), data.index(b"You said three"))

    def test_http_1_0_and_100_continue(self):
        self.serve()
        data = self.read_all(self.socket(self.raw("old", stream=True).replace(b"HTTP/1.1", b"HTTP/1.0")))
        self.assertIn(b"You said old", data)
        self.assertNotIn(b"chunked", data)
        self.assertTrue(data.endswith(b"data: [DONE]\n\n"))
        head, body = self.raw("later").split(b"\r\n\r\n")
        client = self.socket(head + b"\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n")
        self.assertEqual(client.recv(100), b"HTTP/1.1 100 Continue\r\n\r\n")
        client.sendall(body)
        self.assertIn(b"You said later", self.read_all(client))

    def test_missions_side_by_side_and_no_more_than_allowed(self):
        self.serve("--max-missions", "2")
        statuses = []
        threads = [threading.Thread(target=lambda: statuses.append(self.chat("slow").status)) for _ in range(2)]
        for thread in threads:
            thread.start()
        self.gate.wait_for(2)  # both at once
        response = self.chat("x")
        self.assertEqual(response.getheader("retry-after"), "1")
        self.refused(429, "too_many_missions", response)
        self.gate.open()
        for thread in threads:
            thread.join()
        self.assertEqual(statuses, [200, 200])
        self.answer("x")

    def test_a_client_that_goes_interrupts_its_mission(self):
        log = os.path.join(self.folder, "log")
        reply = "a['text'] = %r if 'Hello' in r['messages'][0]['content'] else %r" % (fenced("(return 1)"), fenced("1"))
        model = self.program("model.py", "open(%r, 'a').write('m')\n%s\n%s" % (log, self.gate.stop, reply))
        self.serve("--max-missions", "1", "--max-turns", "1000000", llm="cmd:exec " + model)
        for stream in (False, True):
            arrived = self.gate.arrived
            client = self.socket(self.raw("x", stream=stream))
            self.gate.wait_for(arrived + 1)
            client.close()
            self.gate.open()
            wait_until(self.is_answered, "the place of a mission that ends for want of a client only")
            calls = os.path.getsize(log)
            self.assertTrue(self.is_answered())
            self.assertEqual(os.path.getsize(log), calls + 1)
            self.gate.shut()

    def test_a_client_that_closes_its_own_direction_is_answered(self):
        self.serve()
        request = b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        for data in [request] * 20 + [self.raw("slow").replace(b"Host", b"Connection: close\r\nHost")]:
            client = self.socket(data)
            if data != request:
                self.gate.wait_for(1)
            client.shutdown(socket.SHUT_WR) # nobody may be there any more: its mission may end, and says so
            self.gate.open()
            head, body = self.read_all(client).split(b"\r\n\r\n")
            self.assertTrue(head.startswith(b"HTTP/1.1 200 OK" if data == request else b"HTTP/1.1 "), head)
            json.loads(body)


class Safety(Serving):
    def test_browsers_and_other_names_are_refused(self):
        self.serve()
        self.refused(403, "origin_refused", self.chat("x", headers={"Origin": "http://localhost:3000"}))
        self.refused(403, "host_refused", self.chat("x", headers={"Host": "evil.example:%d" % self.port}))
        self.refused(403, "origin_refused", self.chat("x", headers={"Origin": ""}))
        self.refused(403, "origin_refused", self.chat("x", headers={"Sec-Fetch-Site": "cross-site"}))
        for host in ("localhost", "LOCALHOST", "localhost:%d" % self.port, "127.0.0.1", "[::1]:%d" % self.port):
            self.assertEqual(self.chat("x", headers={"Host": host, "Sec-Fetch-Site": "none"}).status, 200)
        for host in ("", "[::1", "[::1]evil", "[::1]:80@evil", "127.0.0.1:evil", "[localhost", "localhost.", "localhost:80:80"):
            self.refused(403, "host_refused", self.chat("x", headers={"Host": host}))

    def test_a_key(self):
        model = self.program("model.py", "a['text'] = '```clojure\\n(return %s)\\n```' % json.dumps(os.environ.get('KEY', 'none'))")
        server = self.serve("--key-env", "KEY", llm="cmd:" + model, environment={"KEY": "s3cret"})
        for given in ({}, {"Authorization": "Bearer s3cre"}, {"Authorization": "Bearer s3creT"}, {"Authorization": "Basic s3cret"}):
            self.refused(401, "invalid_api_key", self.chat("x", headers=given))
            self.refused(401, "invalid_api_key", self.request("GET", "/v1/models", headers=given))
        with open("/proc/%d/environ" % server.pid, "rb") as environment:
            self.assertNotIn(b"s3cret", environment.read())
        # Programs that it starts do not know it.
        response = self.chat("x", headers={"Authorization": "bearer s3cret"})
        self.assertEqual(json.loads(response.read())["choices"][0]["message"]["content"], "none")

    def test_wrong_usage_exits_2(self):
        good = ("--llm", "script:" + self.file("r.jsonl", script("1")))
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)
        for arguments in ([], ["--openai"], ["--openai", *good, "--host", "0.0.0.0", "--port", "0"], ["--openai", *good, "--host", "nowhere"],
                          ["--openai", *good, "--key-env", "NO_SUCH_KEY"], ["--openai", *good, "--prompt", "{{x}}"],
                          ["--openai", *good, "--trace", "/nowhere"], ["--openai", *good, "--max-missions", "0"],
                          ["--openai", "--llm", "gpt"], ["--openai", *good, "--port", str(taken.getsockname()[1])]):
            self.check(ptcc("serve", *arguments), 2, "")


class Stop(Serving):
    def test_a_signal_ends_an_idle_server_at_once(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            server = self.serve("--grace-ms", FOREVER)
            idle = self.socket()
            self.answer("x")
            server.send_signal(number)
            self.assertEqual(server.wait(SECONDS), 0)
            self.assertEqual(idle.recv(1), b"")
            self.assertEqual(server.stderr.read(), "")

    def test_missions_under_way_are_finished(self):
        server = self.serve("--grace-ms", FOREVER)
        client = self.socket(self.raw("slow"))
        self.gate.wait_for(1)
        server.send_signal(signal.SIGTERM)
        wait_until(self.has_stopped_listening, "the signal to arrive")
        self.gate.open()
        data = self.read_all(client)
        self.assertIn(b"You said slow", data)
        self.assertIn(b"Connection: close", data)
        self.assertEqual(server.wait(SECONDS), 0)

    def test_after_the_grace_time_they_are_cut_off(self):
        server = self.serve("--grace-ms", "200")
        self.socket(self.raw("slow"))
        self.gate.wait_for(1)
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(SECONDS), 1)

    def test_a_second_signal_does_not_wait(self):
        server = self.serve("--grace-ms", FOREVER)
        self.socket(self.raw("slow"))
        self.gate.wait_for(1)
        server.send_signal(signal.SIGINT)
        wait_until(self.has_stopped_listening, "the signal to arrive")
        server.send_signal(signal.SIGINT)
        self.assertEqual(server.wait(SECONDS), 1)


if __name__ == "__main__":
    ptcc_test.PTCC = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
