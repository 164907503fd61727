// What the official clients send, and what they make of replies, is what golden/ says.
import assert from "node:assert/strict";
import {test} from "node:test";
import OpenAI from "openai";
import {record} from "./recorder.mjs";

test("the openai client's plain question", async () => {
  const body = JSON.stringify({
    id: "chatcmpl-1", object: "chat.completion", created: 1, model: "m",
    choices: [{index: 0, finish_reason: "stop", logprobs: null, message: {role: "assistant", content: "Hello.", refusal: null}}],
  });
  const recorder = await record({status: 200, headers: {"content-type": "application/json"}, body});
  try {
    const client = new OpenAI({apiKey: "test-key", baseURL: `${recorder.url}/v1`});
    const reply = await client.chat.completions.create({model: "m", messages: [{role: "user", content: "Hi."}]});
    assert.equal(reply.choices[0].message.content, "Hello.");
    assert.deepEqual(recorder.requests.map((request) => [request.method, request.path, request.headers.authorization, request.body]),
      [["POST", "/v1/chat/completions", "Bearer test-key", {model: "m", messages: [{role: "user", content: "Hi."}]}]]);
  } finally {
    await recorder.close();
  }
});
