// What ptcc sends is what the official clients would send: of their types, to the same path, with the same key in the same header.
import assert from "node:assert/strict";
import {execFile} from "node:child_process";
import {writeFileSync} from "node:fs";
import {test} from "node:test";
import * as anthropic from "./anthropic.mjs";
import {replies as anthropicReplies} from "./anthropic_replies.mjs";
import * as gemini from "./gemini.mjs";
import {replies as geminiReplies} from "./gemini_replies.mjs";
import {complaints} from "./literals.mjs";
import * as openai from "./openai.mjs";
import {replies as openaiReplies} from "./openai_replies.mjs";
import {record} from "./recorder.mjs";

const tools = {
  find_orders: {signature: "(customer :string, limit :int?) -> [{id :int, price :float}]", description: "Orders of a customer.", do: {return: [{id: 7, price: 1.5}]}},
  clock: {signature: "() -> :string", do: {raise: "It stands still."}},
};
const question = {prompt: "Which orders?", output: "text"};
/** Each has the agent, and the names of the replies that it gets. */
const missions = {
  text: {agent: question, replies: ["text"]},
  tools: {agent: {...question, tools}, replies: ["text_and_calls", "one_call", "text"]},
  stream: {agent: {...question, tools}, replies: ["stream_text_and_calls", "stream_text"], options: ["--stream"]},
  structured: {agent: {...question, signature: "() -> {count :int, notes [:string], best :float?}"}, replies: ["text"]},
  nested: {agent: {...question, signature: "() -> [{id :int, tags [:enum[a b]], more :map}]"}, replies: ["text"]},
  effort: {agent: {...question, tools, reasoning_effort: "high", tool_choice: "none"}, replies: ["text"]},
  no_effort: {agent: {...question, reasoning_effort: "none"}, replies: ["text"]},
  must_call: {agent: {...question, tools, reasoning_effort: "low", tool_choice: "required"}, replies: ["one_call", "text"]},
  chosen: {agent: {...question, tools, tool_choice: "tool:clock"}, replies: ["one_call", "text"]},
  programs: {agent: {prompt: "Which orders?", tools}, replies: ["text"]},
  program_calls: {agent: {prompt: "Which orders?", tools, ptc_transport: "tool_call"}, replies: ["one_call", "text"]},
  combined: {agent: {...question, tools, ptc_transport: "tool_call"}, replies: ["text_and_calls", "text"]},
};
const variables = {
  openai: (url) => ({OPENAI_API_KEY: openai.key, OPENAI_BASE_URL: `${url}/v1`}),
  anthropic: (url) => ({ANTHROPIC_API_KEY: anthropic.key, ANTHROPIC_BASE_URL: url}),
  gemini: (url) => ({GEMINI_API_KEY: gemini.key, GOOGLE_GEMINI_BASE_URL: url}),
};

/** The requests of a mission. */
async function sentByPtcc(provider, replies, name) {
  const {agent, replies: names, options = []} = missions[name];
  const recorder = await record(...names.map((reply) => replies[reply]));
  const file = `${provider.name}.${name}.json`;
  writeFileSync(file, JSON.stringify({...agent, max_turns: names.length}));
  try {
    const arguments_ = ["agent", "--agent", file, "--step", "--llm", `${provider.name}:${provider.model}`, "--mission-timeout-ms", "480000", ...options];
    const out = await new Promise((resolve) =>
      execFile(process.env.PTCC, arguments_, {env: {...process.env, ...variables[provider.name](recorder.url)}}, (_, stdout, stderr) => resolve(stdout + stderr)));
    assert.ok(recorder.requests.length >= names.length, `${name}: ${recorder.requests.length} requests\n${out}`);
    return recorder.requests;
  } finally {
    await recorder.close();
  }
}

/** Google's client takes the members of the body's generationConfig, and the system text, beside the others. */
function geminiParameters(body) {
  const {contents, generationConfig = {}, ...config} = body;
  return {model: gemini.model, contents, config: {...generationConfig, ...config}};
}
const parametersOf = (provider, body) => (provider === gemini ? geminiParameters(body) : body);

/** The request that the official client makes of the same parameters. */
async function sentByClient(provider, replies, request) {
  const stream = /stream/i.test(request.path) || request.body.stream === true;
  const recorder = await record(stream ? replies.stream_text : replies.text);
  try {
    await provider.ask(recorder.url, parametersOf(provider, request.body), 0, stream);
    return recorder.requests[0];
  } finally {
    await recorder.close();
  }
}

const withoutEmpty = (body) => Object.fromEntries(Object.entries(body).filter(([, value]) => JSON.stringify(value) !== "{}"));
/** Google's client gives the system text a role, which the API does not need. */
const comparable = (provider, {method, path, headers: {accept, ...headers}, body}) => {
  const system = body.systemInstruction && {systemInstruction: {parts: body.systemInstruction.parts}};
  return {method, path, headers, body: withoutEmpty(provider === gemini ? {...body, ...system} : body)};
};

const types = {openai: "OpenAI.ChatCompletionCreateParams", anthropic: "Anthropic.MessageCreateParams", gemini: "GeminiRequest"};

for (const [provider, replies] of [[openai, openaiReplies], [anthropic, anthropicReplies], [gemini, geminiReplies]]) {
  test(`ptcc asks ${provider.name} as its client does`, async () => {
    const requests = [];
    for (const name of Object.keys(missions)) {
      for (const request of await sentByPtcc(provider, replies, name)) {
        requests.push(request);
        assert.deepEqual(comparable(provider, request), comparable(provider, await sentByClient(provider, replies, request)), name);
      }
    }
    assert.equal(complaints(`sent.${provider.name}.ts`, requests.map((request) => [types[provider.name], parametersOf(provider, request.body)])), "");
  });
}
