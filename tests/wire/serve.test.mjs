// OpenAI's official client talks to an agent that `ptcc serve` serves.
import assert from "node:assert/strict";
import {spawn} from "node:child_process";
import {once} from "node:events";
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {createServer} from "node:net";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {createInterface} from "node:readline";
import {after, before, test} from "node:test";
import OpenAI from "openai";

/** Models that were told to be slow stop here until the test lets them on, so that it knows what is under way. */
const gate = createServer((model) => {
  gate.stopped.push(model);
  gate.emit("arrival");
  model.on("error", () => {});
});
gate.stopped = [];
gate.arrivals = async (count) => { while (gate.stopped.length < count) await once(gate, "arrival"); };
gate.letOn = () => { for (const model of gate.stopped.splice(0)) model.destroy(); };
gate.listen(0, "127.0.0.1");
await once(gate, "listening");

// What the user says last decides what the model does: it is a program as any host could have written it.
const MODEL = `
import json, socket, sys
for line in sys.stdin:
    r = json.loads(line)
    said = r["messages"][-1]["content"]
    if "slow" in said: socket.create_connection(("127.0.0.1", ${gate.address().port})).recv(1)
    program = "(fail {:reason :no_data :message \\"Nothing is there.\\"})" if "fail" in said else "(return \\"You said %s, after %d\\")" % (said, len(r["messages"]) - 1)
    if said == "typed": program = "(return {:n 7})"
    answer = {"id": r["id"], "text": "\`\`\`clojure\\n" + program + "\\n\`\`\`", "tokens": {"input": 10, "output": 4, "cache_read": 3}}
    if "broken" in said: answer = {"id": r["id"], "error": {"kind": "server_error", "permanent": True}}
    print(json.dumps(answer), flush=True)
`;

let folder;
let server;
let client;

const serve = async (...options) => {
  const process_ = spawn(process.env.PTCC, ["serve", "--openai", "--port", "0", "--llm", `cmd:exec python3 ${folder}/model.py`, ...options], {
    stdio: ["ignore", "pipe", "inherit"], env: {...process.env, WIRE_KEY: "a key"},
  });
  const line = (await createInterface({input: process_.stdout})[Symbol.asyncIterator]().next()).value;
  assert.match(line, /^listening on http:\/\/127\.0\.0\.1:\d+\/v1$/);
  return {process: process_, url: line.slice("listening on ".length)};
};
const stop = ({process: p}) => new Promise((done) => {
  p.on("close", done);
  p.kill("SIGTERM");
});
const ask = (content, more = {}, options = {}) =>
  client.chat.completions.create({model: "agent", messages: [{role: "user", content}], ...more}, options);

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "serve-"));
  writeFileSync(join(folder, "model.py"), MODEL);
  server = await serve("--max-missions", "2", "--key-env", "WIRE_KEY");
  client = new OpenAI({baseURL: server.url, apiKey: "a key", maxRetries: 0});
});
after(async () => {
  gate.letOn();
  gate.close();
  assert.equal(await stop(server), 0);
  rmSync(folder, {recursive: true});
});

test("a completion", async () => {
  const reply = await ask("hello");
  assert.equal(reply.choices[0].message.content, "You said hello, after 0");
  assert.equal(reply.choices[0].finish_reason, "stop");
  assert.deepEqual([reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.total_tokens], [10, 4, 14]);
  assert.equal(reply.usage.prompt_tokens_details.cached_tokens, 3);
});

test("a conversation", async () => {
  const messages = [{role: "user", content: "one"}];
  const first = await client.chat.completions.create({model: "agent", messages});
  messages.push(first.choices[0].message, {role: "user", content: "two"});
  const second = await client.chat.completions.create({model: "agent", messages});
  assert.equal(second.choices[0].message.content, "You said two, after 2");
});

test("a stream", async () => {
  const chunks = [];
  for await (const chunk of await ask("hello", {stream: true, stream_options: {include_usage: true}})) chunks.push(chunk);
  assert.equal(chunks.map((c) => c.choices[0]?.delta.content ?? "").join(""), "You said hello, after 0");
  assert.equal(chunks[0].choices[0].delta.role, "assistant");
  assert.equal(chunks.at(-2).choices[0].finish_reason, "stop");
  assert.equal(chunks.at(-1).usage.total_tokens, 14);
});

test("the client's own helper for streams", async () => {
  const stream = client.chat.completions.stream({model: "agent", messages: [{role: "user", content: "hello"}]});
  assert.equal(await stream.finalContent(), "You said hello, after 0");
});

test("a response", async () => {
  const response = await client.responses.create({model: "agent", input: "hello", instructions: "Be brief."});
  assert.match(response.output_text, /Be brief\.\n\nhello, after 0$/);
  assert.deepEqual([response.status, response.output[0].role], ["completed", "assistant"]);
  assert.deepEqual([response.usage.input_tokens, response.usage.output_tokens, response.usage.input_tokens_details.cached_tokens], [10, 4, 3]);
  const input = [{role: "user", content: "one"}, ...response.output, {role: "user", content: "two"}];
  assert.equal((await client.responses.create({model: "agent", input})).output_text, "You said two, after 2");
  const refused = client.responses.create({model: "agent", input: "x", previous_response_id: response.id});
  await assert.rejects(refused, (error) => error instanceof OpenAI.BadRequestError && error.param === "previous_response_id");
});

test("a response as a stream, with the client's own helper", async () => {
  const stream = client.responses.stream({model: "agent", input: "hello"});
  const types = [];
  for await (const event of stream) types.push(event.type);
  assert.deepEqual([types[0], types.at(-1)], ["response.created", "response.completed"]);
  assert.equal((await stream.finalResponse()).output_text, "You said hello, after 0");
});

test("a schema that fits the agent", async () => {
  const typed = await serve("--signature", "{n :int}");
  const own = new OpenAI({baseURL: typed.url, apiKey: "none", maxRetries: 0});
  const schema = (type) => ({type: "object", properties: {n: {type}}, required: ["n"], additionalProperties: false});
  const asked = (type) => own.chat.completions.parse({model: "agent", messages: [{role: "user", content: "typed"}],
    response_format: {type: "json_schema", json_schema: {name: "answer", strict: true, schema: schema(type)}}});
  assert.equal(JSON.parse((await asked("integer")).choices[0].message.content).n, 7);
  await assert.rejects(asked("string"), OpenAI.BadRequestError);
  await stop(typed);
});

test("models", async () => {
  const ids = [];
  for await (const model of client.models.list()) ids.push(model.id);
  assert.deepEqual(ids, ["agent"]);
  assert.equal((await client.models.retrieve("agent")).id, "agent");
  await assert.rejects(client.models.retrieve("gpt"), OpenAI.NotFoundError);
});

test("errors are of the client's classes", async () => {
  const code = (class_, code_) => (error) => error instanceof class_ && error.code === code_;
  await assert.rejects(ask("x", {model: "gpt"}), code(OpenAI.NotFoundError, "model_not_found"));
  await assert.rejects(ask("x", {n: 2}), code(OpenAI.BadRequestError, "unsupported_parameter"));
  await assert.rejects(ask("x", {tools: [{type: "function", function: {name: "f", parameters: {}}}]}), code(OpenAI.BadRequestError, "unsupported_parameter"));
  await assert.rejects(ask("fail"), (error) => error instanceof OpenAI.BadRequestError && error.message.includes("Nothing is there."));
  await assert.rejects(ask("broken"), code(OpenAI.InternalServerError, "llm_error"));
  await assert.rejects(new OpenAI({baseURL: server.url, apiKey: "another", maxRetries: 0}).models.list(), OpenAI.AuthenticationError);
  await assert.rejects(async () => { for await (const _ of await ask("fail", {stream: true})); }, OpenAI.BadRequestError);
});

test("a failed mission is not asked for again, one that found no room is", async () => {
  let asked = 0;
  let beforeTheNext = () => {};
  const counting = new OpenAI({baseURL: server.url, apiKey: "a key", maxRetries: 3, fetch: async (...args) => {
    await beforeTheNext(++asked);
    return fetch(...args);
  }});
  const eager = (content) => counting.chat.completions.create({model: "agent", messages: [{role: "user", content}]});
  await assert.rejects(eager("broken"), OpenAI.InternalServerError);
  assert.equal(asked, 1);
  const busy = [ask("slow 1"), ask("slow 2")];
  await gate.arrivals(2);
  await assert.rejects(ask("x"), OpenAI.RateLimitError);
  // The first time there is no room, the second time there is.
  beforeTheNext = async (count) => {
    if (count < 3) return;
    gate.letOn();
    await Promise.all(busy);
  };
  assert.equal((await eager("hello")).choices[0].message.content, "You said hello, after 0");
  assert.equal(asked, 3);
});

/** The answer once there is room for the mission. */
const askUntilThereIsRoom = async (content) => {
  for (;;) {
    try {
      return await ask(content);
    } catch (error) {
      if (!(error instanceof OpenAI.RateLimitError)) throw error;
    }
  }
};

test("a client that gives up frees its place", async () => {
  for (let i = 0; i < 4; ++i) { // twice as often as there are places
    const controller = new AbortController();
    const reply = ask("slow", {stream: i % 2 === 1}, {signal: controller.signal});
    await gate.arrivals(1);
    controller.abort();
    await assert.rejects(reply, OpenAI.APIUserAbortError);
    gate.letOn();
    assert.equal((await askUntilThereIsRoom("hello")).choices[0].message.content, "You said hello, after 0");
  }
});

test("what the README shows is true", async () => {
  const root = join(process.env.WIRE_SOURCE, "..", "..");
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const section = (title) => readme.split(`## ${title}\n`)[1].split("\n## ")[0];
  const block = (text, language) => text.split("```" + language + "\n")[1].split("\n```\n")[0];
  const mission = section("A first mission");
  const replies = mission.split("<<'END'\n")[1].split("\nEND\n")[0];
  writeFileSync(join(folder, "replies.jsonl"), replies + "\n");
  const data = spawn("python3", [join(root, "tools", "gen_demo_data.py"), join(folder, "build", "demo-data")], {stdio: ["ignore", "ignore", "inherit"]});
  assert.equal((await once(data, "close"))[0], 0);
  const serving = section("Talking to an agent from an OpenAI client");
  const command = block(serving, "sh").replace("build/release/bin/ptcc", `exec '${process.env.PTCC}'`).replace("--port 8080", "--port 0");
  const shown = spawn("sh", ["-c", command], {cwd: folder, stdio: ["ignore", "pipe", "inherit"]});
  const url = (await createInterface({input: shown.stdout})[Symbol.asyncIterator]().next()).value.slice("listening on ".length);
  const script = block(serving, "js");
  assert.ok(script.includes("http://127.0.0.1:8080/v1"));
  writeFileSync("serve_readme.mjs", script.replace("http://127.0.0.1:8080/v1", url));
  const run = spawn(process.execPath, ["serve_readme.mjs"], {stdio: ["ignore", "pipe", "inherit"]});
  let printed = "";
  run.stdout.on("data", (piece) => { printed += piece; });
  await once(run, "close");
  assert.ok(printed.length > 2 && script.includes(`// ${printed.trim()}`), printed);
  assert.equal(await stop({process: shown}), 0);
});
