// Frameworks over OpenAI's API talk to an agent that `ptcc serve` serves, each in the form that it takes by itself: LangChain with
// structured output, the AI SDK with generateObject and streams, OpenAI's Agents SDK over /v1/responses.
import assert from "node:assert/strict";
import {spawn} from "node:child_process";
import {mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {createInterface} from "node:readline";
import {after, before, test} from "node:test";
import {createOpenAI} from "@ai-sdk/openai";
import {AIMessage, HumanMessage} from "@langchain/core/messages";
import {ChatOpenAI} from "@langchain/openai";
import {Agent, OpenAIProvider, Runner, setTracingDisabled} from "@openai/agents";
import {generateObject, generateText, streamText} from "ai";
import {z} from "zod";

// A program as any host could have written it: it counts the words of what the user said last.
const MODEL = `
import json, sys
for line in sys.stdin:
    r = json.loads(line)
    said = r["messages"][-1]["content"].split("\\n\\n")[-1]
    program = "(return {:words %d :said %s})" % (len(said.split()), json.dumps(said))
    print(json.dumps({"id": r["id"], "text": "\`\`\`clojure\\n" + program + "\\n\`\`\`", "tokens": {"input": 10, "output": 4}}), flush=True)
`;
const SIGNATURE = "{words :int, said :string}";
const Answer = z.object({words: z.number().int(), said: z.string()});
const expected = {words: 3, said: "one two three"};

let folder;
let server;
let url;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "clients-"));
  writeFileSync(join(folder, "model.py"), MODEL);
  server = spawn(process.env.PTCC, ["serve", "--port", "0", "--signature", SIGNATURE, "--llm", `cmd:exec python3 ${folder}/model.py`],
    {stdio: ["ignore", "pipe", "inherit"]});
  const line = (await createInterface({input: server.stdout})[Symbol.asyncIterator]().next()).value;
  url = line.slice("listening on ".length);
});
after(async () => {
  const ended = new Promise((done) => server.on("close", done));
  server.kill("SIGTERM");
  assert.equal(await ended, 0);
  rmSync(folder, {recursive: true});
});

// ---- LangChain

const langchain = (more = {}) => new ChatOpenAI({model: "agent", apiKey: "none", maxRetries: 0, configuration: {baseURL: url}, ...more});

test("LangChain: structured output", async () => {
  const typed = langchain().withStructuredOutput(Answer, {name: "answer", method: "jsonSchema"});
  assert.deepEqual(await typed.invoke("one two three"), expected);
  const strict = langchain().withStructuredOutput(Answer, {name: "answer", method: "jsonSchema", strict: true, includeRaw: true});
  const {raw, parsed} = await strict.invoke("one two three");
  assert.deepEqual(parsed, expected);
  assert.equal(raw.usage_metadata.total_tokens, 14);
});

test("LangChain: a schema that does not fit the agent is refused", async () => {
  const other = langchain().withStructuredOutput(z.object({lines: z.number()}), {name: "answer", method: "jsonSchema"});
  await assert.rejects(other.invoke("one two three"), /400/);
});

test("LangChain: conversations and streams", async () => {
  const reply = await langchain().invoke([new HumanMessage("hello"), new AIMessage("yes?"), new HumanMessage("one two three")]);
  assert.deepEqual(JSON.parse(reply.content), expected);
  let streamed = "";
  for await (const chunk of await langchain().stream("one two three")) streamed += chunk.content;
  assert.deepEqual(JSON.parse(streamed), expected);
});

test("LangChain: the responses API", async () => {
  const reply = await langchain({useResponsesApi: true}).invoke("one two three");
  assert.deepEqual(JSON.parse(reply.text), expected);
});

// ---- The AI SDK

const sdk = () => createOpenAI({baseURL: url, apiKey: "none"});

test("the AI SDK: generateObject", async () => {
  for (const model of [sdk().chat("agent"), sdk().responses("agent")]) {
    const {object, usage, finishReason} = await generateObject({model, schema: Answer, prompt: "one two three", maxRetries: 0});
    assert.deepEqual(object, expected);
    assert.equal(usage.totalTokens, 14);
    assert.equal(finishReason, "stop");
  }
});

test("the AI SDK: texts, streams, and a schema that does not fit", async () => {
  for (const model of [sdk().chat("agent"), sdk().responses("agent")]) {
    const {text} = await generateText({model, prompt: "one two three", maxRetries: 0});
    assert.deepEqual(JSON.parse(text), expected);
    let streamed = "";
    for await (const piece of streamText({model, prompt: "one two three", maxRetries: 0}).textStream) streamed += piece;
    assert.deepEqual(JSON.parse(streamed), expected);
    const wrong = generateObject({model, schema: z.object({lines: z.number()}), prompt: "one two three", maxRetries: 0});
    await assert.rejects(wrong, (error) => error.statusCode === 400);
  }
});

// ---- OpenAI's Agents SDK

const runner = (useResponses) =>
  new Runner({modelProvider: new OpenAIProvider({apiKey: "none", baseURL: url, useResponses}), tracingDisabled: true});

test("the Agents SDK: runs, structured and streamed, over both APIs", async () => {
  setTracingDisabled(true);
  for (const useResponses of [true, false]) {
    const plain = new Agent({name: "asker", instructions: "Be brief.", model: "agent"});
    const run = await runner(useResponses).run(plain, "one two three");
    assert.deepEqual(JSON.parse(run.finalOutput), expected);
    const typed = new Agent({name: "asker", model: "agent", outputType: Answer});
    const result = await runner(useResponses).run(typed, "one two three");
    assert.deepEqual(result.finalOutput, expected);
    const streamed = await runner(useResponses).run(plain, "one two three", {stream: true});
    let text = "";
    for await (const piece of streamed.toTextStream()) text += piece;
    await streamed.completed;
    assert.deepEqual(JSON.parse(text), expected);
  }
});

test("the Agents SDK: a second message knows the first", async () => {
  const asker = new Agent({name: "asker", model: "agent"});
  const first = await runner(true).run(asker, "hello there");
  const second = await runner(true).run(asker, [...first.history, {role: "user", content: "one two three"}]);
  assert.deepEqual(JSON.parse(second.finalOutput), expected);
});
