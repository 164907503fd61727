// What `ptcc agent --telemetry` sends is OTLP: each request decodes with the published protobuf schemas and loses nothing, over a
// loopback collector that also refuses, and that goes away.
import assert from "node:assert/strict";
import {execFile} from "node:child_process";
import {writeFileSync} from "node:fs";
import {createServer} from "node:http";
import {createRequire} from "node:module";
import {dirname, join} from "node:path";
import {test} from "node:test";

const require = createRequire(import.meta.url);
// The messages of opentelemetry-proto as protobufjs has them.
const schemas = require(join(dirname(require.resolve("@opentelemetry/otlp-transformer")), "generated/root.js"));
const {collector} = schemas.opentelemetry.proto;
const messages = {
  "/v1/traces": collector.trace.v1.ExportTraceServiceRequest,
  "/v1/metrics": collector.metrics.v1.ExportMetricsServiceRequest,
};

/** A collector that answers with these statuses, the last one again and again. */
async function collect(...statuses) {
  const requests = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      const status = statuses.length > 1 ? statuses.shift() : statuses[0];
      requests.push({path: request.url, type: request.headers["content-type"], method: request.method, status, body: JSON.parse(body)});
      response.writeHead(status, {"content-type": "application/json"}).end("{}");
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {requests, url: `http://127.0.0.1:${server.address().port}`, close: () => new Promise((resolve) => server.close(resolve))};
}

const fenced = (program) => JSON.stringify("```clojure\n" + program + "\n```");
writeFileSync("telemetry.jsonl", [fenced("(def rows (tool/find {:id 7}))"), fenced('(return {:n (count rows)})')].join("\n") + "\n");
writeFileSync("telemetry.json", JSON.stringify({
  prompt: "How many?", signature: "() -> {n :int}",
  tools: {find: {signature: "(id :int) -> [:int]", do: {return: [1, 2, 3]}}},
}));

// An agent that asks another one, and pays when it is approved.
writeFileSync("telemetry_team.jsonl",
  [fenced("(def n (tool/scout {:id 7}))"), fenced("(return 3)"), fenced("(return {:n (tool/pay {:amount n})})"), fenced("(return {:n 0})")].join("\n") + "\n");
writeFileSync("telemetry_team.json", JSON.stringify({
  prompt: "Pay.", signature: "() -> {n :int}",
  tools: {
    scout: {agent: {prompt: "How much for {{id}}?", signature: "(id :int) -> :int"}},
    pay: {signature: "(amount :int) -> :int", approval: true, do: {return: 3}},
  },
}));

const run = (url, ...more) => run_agent("telemetry", url, ...more);

const run_agent = (name, url, ...more) =>
  new Promise((resolve) =>
    execFile(process.env.PTCC, ["agent", "--agent", `${name}.json`, "--llm", `script:${name}.jsonl`, "--telemetry", url, ...more],
      (error, stdout, stderr) => resolve({code: error ? error.code : 0, stdout, stderr})));

/** OTLP's JSON has ids in hex, where that of protobuf has base64. */
const withIds = (value) =>
  Array.isArray(value) ? value.map(withIds)
  : value && typeof value === "object"
    ? Object.fromEntries(Object.entries(value).map(([name, member]) =>
        /^(traceId|spanId|parentSpanId)$/.test(name) ? [name, Buffer.from(member, "hex").toString("base64")] : [name, withIds(member)]))
    : value;

function decoded({path, body}) {
  const message = messages[path];
  const written = withIds(body);
  const read = message.decode(message.encode(message.fromObject(written)).finish());
  assert.equal(message.verify(read), null);
  // Nothing that we wrote is unknown to the schema, or of another type.
  assert.deepEqual(JSON.parse(JSON.stringify(message.toObject(read, {longs: String, bytes: String}))), written);
  return read;
}

test("what is sent is what the schemas say", async () => {
  const there = await collect(200);
  try {
    const {code, stdout, stderr} = await run(there.url, "--telemetry-content");
    assert.equal(code, 0, stderr);
    assert.equal(stdout.trim(), '{"n":3}');
    assert.deepEqual([...new Set(there.requests.map(({path}) => path))].sort(), ["/v1/metrics", "/v1/traces"]);
    const names = [];
    for (const request of there.requests) {
      assert.equal(request.method, "POST");
      assert.equal(request.type, "application/json");
      const message = decoded(request);
      for (const {scopeSpans} of message.resourceSpans ?? [])
        for (const {spans} of scopeSpans) names.push(...spans.map(({name}) => name));
    }
    assert.deepEqual(names.sort(), ["chat", "chat", "execute_tool find", "invoke_agent agent", "run_program", "run_program"]);
  } finally {
    await there.close();
  }
});

/** All spans that one run sends, decoded, and what it wrote. */
async function spansOf(...more) {
  const there = await collect(200);
  try {
    const {stdout, stderr} = await run_agent("telemetry_team", there.url, "--telemetry-content", ...more);
    const spans = there.requests.map(decoded).flatMap(({resourceSpans}) => resourceSpans ?? [])
      .flatMap(({scopeSpans}) => scopeSpans).flatMap(({spans: some}) => some);
    return {spans, named: (name) => spans.filter((span) => span.name === name), stdout, stderr};
  } finally {
    await there.close();
  }
}

const attributes = (span) =>
  Object.fromEntries(span.attributes.map(({key, value}) => [key, value.stringValue ?? value.boolValue ?? Number(value.intValue)]));
const hex = (id) => Buffer.from(id).toString("hex");

test("agents that are called lie within the tool, in one trace, and approvals in the program that waits", async () => {
  const {spans, named, stdout, stderr} = await spansOf("--approve", "always");
  assert.equal(stdout.trim(), '{"n":3}', stderr);
  assert.equal(new Set(spans.map(({traceId}) => hex(traceId))).size, 1);
  const [helper] = named("invoke_agent scout");
  const [scout] = named("execute_tool scout");
  assert.equal(hex(helper.parentSpanId), hex(scout.spanId));
  assert.equal(attributes(helper)["gen_ai.agent.name"], "scout");
  assert.equal(named("chat").filter((span) => hex(span.parentSpanId) === hex(helper.spanId)).length, 1);
  const [approval] = named("approval pay");
  const [pay] = named("execute_tool pay");
  assert.equal(hex(approval.parentSpanId), hex(pay.parentSpanId));
  assert.ok(named("run_program").some(({spanId}) => hex(spanId) === hex(approval.parentSpanId)));
  assert.equal(attributes(approval)["gen_ai.tool.name"], "pay");
  assert.equal(attributes(approval)["gen_ai.tool.call.arguments"], '{"amount":3}');
  assert.equal(attributes(approval)["ptc.approval.changed"], false);
  assert.ok(BigInt(approval.endTimeUnixNano.toString()) <= BigInt(pay.startTimeUnixNano.toString()));
  assert.equal(approval.status?.code ?? 0, 0);
});

test("an approval that is denied is an error of its span and of the call's", async () => {
  const {named, stdout, stderr} = await spansOf("--approve", "never");
  assert.equal(stdout.trim(), '{"n":0}', stderr);
  for (const name of ["approval pay", "execute_tool pay"]) {
    const [span] = named(name);
    assert.equal(span.status.code, 2); // STATUS_CODE_ERROR
    assert.equal(attributes(span)["error.type"], "approval_denied");
  }
});

test("what was not taken is sent again, and a mission does not fail by it", async () => {
  const there = await collect(503);
  try {
    const {code, stdout, stderr} = await run(there.url);
    assert.equal(code, 0, stderr);
    assert.equal(stdout.trim(), '{"n":3}');
    assert.match(stderr, /did not take all/);
  } finally {
    await there.close();
  }
  const nobody = await run(there.url); // it is closed
  assert.equal(nobody.code, 0);
  assert.match(nobody.stderr, /did not take all/);
  const wrong = await run("nonsense");
  assert.equal(wrong.code, 2);
});
