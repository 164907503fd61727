// Golden requests and replies are of the types that the official clients declare.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {test} from "node:test";
import {replies as anthropicReplies} from "./anthropic_replies.mjs";
import {replies as geminiReplies} from "./gemini_replies.mjs";
import {complaints} from "./literals.mjs";
import {replies as openaiReplies} from "./openai_replies.mjs";

const requests = (name) => JSON.parse(readFileSync(`${process.env.WIRE_SOURCE}/golden/${name}.requests.json`, "utf8")).map((row) => row.request.body);
const values = (replies, stream) => Object.values(replies).filter((reply) => reply.status === 200 && reply.stream === stream).flatMap((reply) => reply.values);
const typed = (type, all) => all.map((value) => [type, value]);

test("golden requests are what the clients take", () => {
  assert.equal(complaints("requests.ts",
    [...typed("OpenAI.ChatCompletionCreateParams", requests("openai")), ...typed("Anthropic.MessageCreateParams", requests("anthropic"))]), "");
});

test("golden replies are what the clients give", () => {
  assert.equal(complaints("replies.ts", [
    ...typed("OpenAI.ChatCompletion", values(openaiReplies, false)), ...typed("OpenAI.ChatCompletionChunk", values(openaiReplies, true)),
    ...typed("Anthropic.Message", values(anthropicReplies, false)), ...typed("Anthropic.RawMessageStreamEvent", values(anthropicReplies, true)),
    ...typed("GeminiReply", [...values(geminiReplies, false), ...values(geminiReplies, true)])]), "");
});

test("the compiler does find what is wrong", () => {
  const wrong = complaints("wrong.ts", [
    ["OpenAI.ChatCompletionCreateParams", {model: "m", messages: [{role: "tool", content: "x"}]}],
    ["Anthropic.MessageCreateParams", {model: "m", max_tokens: 1, messages: [], temperature: 1}],
    ["GeminiReply", {candidates: [{finishReason: "END"}]}]]);
  for (const name of ["tool_call_id", "temperature", "END"]) assert.match(wrong, new RegExp(name));
});
