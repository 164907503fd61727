// What the official clients send, and what they make of replies, is what golden/ says. With WIRE_UPDATE=yes it is written anew.
import assert from "node:assert/strict";
import {readFileSync, writeFileSync} from "node:fs";
import {test} from "node:test";
import * as anthropic from "./anthropic.mjs";
import {replies as anthropicReplies} from "./anthropic_replies.mjs";
import {conversations} from "./conversations.mjs";
import * as gemini from "./gemini.mjs";
import {replies as geminiReplies} from "./gemini_replies.mjs";
import * as openai from "./openai.mjs";
import {replies as openaiReplies} from "./openai_replies.mjs";
import {record} from "./recorder.mjs";

/** The same value with the members of all objects in order, and without those that are undefined. */
const sorted = (value) =>
  Array.isArray(value) ? value.map(sorted)
    : value !== null && typeof value === "object"
      ? Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined).sort(([a], [b]) => (a < b ? -1 : 1)).map(([k, v]) => [k, sorted(v)]))
      : value;

/** Complaints that clients log beside the errors that they throw. */
for (const level of ["debug", "error", "warn"]) console[level] = () => {};

async function requestOf(provider, conversation, answer) {
  const recorder = await record(answer);
  try {
    await provider.ask(recorder.url, provider.requestOf(conversation), 0, conversation.stream);
    assert.equal(recorder.requests.length, 1);
    return recorder.requests[0];
  } finally {
    await recorder.close();
  }
}

async function outcome(provider, reply, retries) {
  const recorder = await record(reply);
  try {
    const request = provider.requestOf({...conversations.plain, stream: reply.stream});
    const result = await provider.ask(recorder.url, request, retries, reply.stream).then((client) => ({client}), (error) => ({error: provider.errorOf(error)}));
    return {...result, attempts: recorder.requests.length};
  } finally {
    await recorder.close();
  }
}

/** What the client makes of a reply; `attempts` is how often it asks when it may ask three times. */
async function readingOf(provider, reply) {
  const {attempts, ...result} = await outcome(provider, reply, 0);
  assert.equal(attempts, 1);
  const impatient = {...reply, headers: {...reply.headers, "retry-after-ms": "1"}};
  const {stream, status, headers, body} = reply;
  return {stream, status, headers, body, ...result, ...(result.error && {attempts: (await outcome(provider, impatient, 2)).attempts})};
}

async function allOf(names, make) {
  const rows = [];
  for (const name of names) rows.push({name, ...sorted(await make(name))});
  return rows;
}

function compare(name, value) {
  const file = `${process.env.WIRE_SOURCE}/golden/${name}.json`;
  if (process.env.WIRE_UPDATE) writeFileSync(file, `${JSON.stringify(value, null, 1)}\n`);
  const golden = JSON.parse(readFileSync(file, "utf8"));
  assert.deepEqual(golden.map((row) => row.name), value.map((row) => row.name));
  for (const [index, row] of value.entries()) assert.deepEqual(row, golden[index], row.name);
}

for (const [provider, replies] of [[openai, openaiReplies], [anthropic, anthropicReplies], [gemini, geminiReplies]]) {
  test(`what the ${provider.name} client sends`, async () => {
    compare(`${provider.name}.requests`, await allOf(Object.keys(conversations), async (name) => {
      const conversation = conversations[name];
      return {conversation: {...conversation, model: provider.model}, request: await requestOf(provider, conversation, conversation.stream ? replies.stream_text : replies.text)};
    }));
  });
  test(`what the ${provider.name} client makes of replies`, async () => {
    compare(`${provider.name}.replies`, await allOf(Object.keys(replies), (name) => readingOf(provider, replies[name])));
  });
}
