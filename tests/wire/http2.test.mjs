// ptcc speaks HTTP/2 where a server does, over a certificate that it was told to trust.
import assert from "node:assert/strict";
import {execFile, execFileSync} from "node:child_process";
import {once} from "node:events";
import {readFileSync, writeFileSync} from "node:fs";
import {constants, createSecureServer} from "node:http2";
import {test} from "node:test";
import {replies} from "./openai_replies.mjs";

execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test", "-addext",
  "subjectAltName=IP:127.0.0.1", "-keyout", "http2.key", "-out", "http2.pem"], {stdio: "pipe"});

/** What ptcc prints when the server answers all requests by `respond`, and the versions of its requests. */
async function run(respond, ...options) {
  const versions = [];
  const server = createSecureServer({key: readFileSync("http2.key"), cert: readFileSync("http2.pem"), allowHTTP1: true});
  server.on("request", (request, response) => {
    versions.push(request.httpVersion);
    request.resume().on("end", () => respond(response));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  writeFileSync("http2.json", JSON.stringify({mine: {provider: "openai", model: "m", ca_file: "http2.pem", base_url: `https://127.0.0.1:${server.address().port}/v1`}}));
  const arguments_ = ["agent", "--prompt", "How many?", "--output", "text", "--models", "http2.json", "--llm", "mine", "--mission-timeout-ms", "480000", ...options];
  const out = await new Promise((resolve) =>
    execFile(process.env.PTCC, arguments_, {env: {...process.env, OPENAI_API_KEY: "test-key"}}, (_, stdout, stderr) => resolve({stdout, stderr})));
  server.close();
  return {...out, versions};
}

const whole = (reply) => (response) => response.writeHead(reply.status, reply.headers).end(reply.body);
/** A part of the reply, then `end`. */
const part = (reply, end) => (response) => {
  response.writeHead(reply.status, reply.headers);
  response.write(reply.body.slice(0, 100), () => end(response.stream));
};

test("replies, whole and streamed", async () => {
  for (const [reply, ...options] of [[replies.text], [replies.stream_text, "--stream"]]) {
    const {stdout, stderr, versions} = await run(whole(reply), ...options);
    assert.deepEqual([stdout, versions], ['"Twelve orders é😀."\n', ["2.0"]], stderr);
  }
});

test("errors, and streams and connections that end before the reply does, are tried again", async () => {
  const faults = {
    server_error: whole(replies.server_error),
    network: part(replies.text, (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR)),
    "network: ": part(replies.stream_text, (stream) => stream.session.destroy()),
  };
  for (const [kind, respond] of Object.entries(faults)) {
    const {stderr, versions} = await run(respond);
    assert.deepEqual(versions, ["2.0", "2.0", "2.0"], stderr);
    assert.match(stderr, new RegExp(`3 attempts. Last: ${kind}`));
  }
});
