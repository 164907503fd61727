// The official clients talk to the fake providers: these take all that the clients send, and the clients read all that they answer.
import assert from "node:assert/strict";
import {spawn} from "node:child_process";
import {once} from "node:events";
import {createInterface} from "node:readline";
import {test} from "node:test";
import * as anthropic from "./anthropic.mjs";
import {conversations} from "./conversations.mjs";
import * as gemini from "./gemini.mjs";
import * as openai from "./openai.mjs";

/** Runs `use` with the address of a fake provider, and gives what the fake refused. */
async function withFake(provider, use) {
  const fake = spawn("python3", [`${process.env.WIRE_SOURCE}/fake_provider.py`, provider.name, provider.key], {stdio: ["pipe", "pipe", "inherit"]});
  const lines = createInterface({input: fake.stdout})[Symbol.asyncIterator]();
  try {
    await use((await lines.next()).value);
  } finally {
    fake.stdin.end();
  }
  const refused = JSON.parse((await lines.next()).value);
  await once(fake, "close");
  return refused;
}

for (const provider of [openai, anthropic, gemini]) {
  test(`the fake provider takes what the ${provider.name} client sends, and is read by it`, async () => {
    assert.deepEqual(await withFake(provider, async (url) => {
      for (const [name, conversation] of Object.entries(conversations)) {
        const answer = await provider.ask(url, provider.requestOf(conversation), 0, conversation.stream);
        const cached = provider === anthropic ? {input: 4} : {input: 20};
        assert.deepEqual([answer.text, answer.tokens, answer.deltas?.join("")],
          ["Hello.", {...cached, output: 2, cache_read: 16, cache_creation: 0}, conversation.stream ? "Hello." : undefined], name);
      }
    }), []);
  });

  test(`the fake provider refuses what is not ${provider.name}'s`, async () => {
    const call = {role: "assistant", content: "", tool_calls: [{id: "call_1", name: "clock", arguments: {}}]};
    const unanswered = {...conversations.plain, messages: [...conversations.plain.messages, call, {role: "user", content: "Well?"}]};
    const refused = await withFake(provider, async (url) => {
      for (const conversation of [unanswered, {...conversations.plain, messages: [{role: "tool", tool_call_id: "call_1", content: "12:00"}]}]) {
        const failure = await provider.ask(url, provider.requestOf(conversation)).then(() => null, provider.errorOf);
        assert.equal(failure?.status, 400, JSON.stringify(failure));
      }
    });
    assert.equal(refused.length, 2);
  });
}
