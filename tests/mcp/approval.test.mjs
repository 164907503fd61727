// Calls that need approval, made in the middle of a program's loop: the official clients of both generations ask their user. What the tool
// did is a line of a file, so that effects are counted. The server of the newer protocol is killed while the program waits.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { serve } from './process.mjs';

const folder = mkdtempSync(join(tmpdir(), 'ptc-mcp-'));
after(() => rmSync(folder, { recursive: true }));
const PROGRAM = '(def done (reduce (fn [all n] (conj all (tool/pay {:to n :amount (* 10 n)}))) [] [1 2 3])) (return {:paid done})';
const SAID = { 1: { approve: true }, 2: { approve: false, reason: 'not this one' }, 3: { approve: true } };

/** A file for effects, and arguments for a server whose tool writes to it. */
function world(name) {
  const effects = join(folder, `${name}.effects`);
  writeFileSync(effects, '');
  const tool = join(folder, `${name}.py`);
  writeFileSync(tool, `import json, sys
for line in iter(sys.stdin.readline, ''):
    r = json.loads(line)
    with open(${JSON.stringify(effects)}, 'a') as f: f.write('%s\\n' % r['arguments']['to'])
    print(json.dumps({'id': r['id'], 'result': 'paid %s' % r['arguments']['to']}), flush=True)
`);
  const tools = join(folder, `${name}.json`);
  writeFileSync(tools, JSON.stringify({ pay: { signature: '(to :int, amount :int) -> :string', cmd: `exec python3 ${tool}`, approval: true } }));
  return { effects: () => readFileSync(effects, 'utf8').trim().split('\n').filter(Boolean),
           args: ['--tools', tools, '--state-key', join(folder, `${name}.key`)] };
}

const numberIn = (request) => Number(/"to":(\d)/.exec(request.params.message)[1]);
const call = (source) => ({ name: 'lisp_eval', arguments: { source } });

async function withClient1(transport, answer, body) {
  const client = new Client1({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, answer);
  await client.connect(transport);
  await body(client);
  await client.close();
}

async function withClient2(transport, answer, body, mode = { pin: '2026-07-28' }) {
  const client = new Client2({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', answer);
  await client.connect(transport);
  await body(client);
  await client.close();
}

const approving = async (request) => ({ action: 'accept', content: { approve: numberIn(request) > 0 } });
const accepts = (result) => assert.deepEqual(result.structuredContent.json, { paid: ['paid 1', 'paid 2', 'paid 3'] }, JSON.stringify(result));

test('the older client approves, over standard input', async () => {
  const { args, effects } = world('stdio1');
  await withClient1(new Stdio1({ command: process.env.PTCC, args: ['mcp', ...args] }), approving, async (client) => {
    accepts(await client.callTool(call(PROGRAM)));
  });
  assert.deepEqual(effects(), ['1', '2', '3']);
});

test('the older client approves and denies, over HTTP', async () => {
  const { args, effects } = world('http1');
  const server = await serve(process.env.PTCC, ['mcp', '--http', '0', ...args]);
  await withClient1(new Http1(new URL(server.url)), async (request) => ({ action: 'accept', content: SAID[numberIn(request)] }), async (client) => {
    const result = await client.callTool(call(PROGRAM));
    assert.equal(result.isError, true);
    assert.equal(result.structuredContent.error.reason, 'approval_denied');
    assert.match(result.structuredContent.error.message, /not this one/);
  });
  await server.stop();
  assert.deepEqual(effects(), ['1']);
});

test('the newer client approves, over standard input', async () => {
  const { args, effects } = world('stdio2');
  await withClient2(new Stdio2({ command: process.env.PTCC, args: ['mcp', ...args] }), approving, async (client) => {
    accepts(await client.callTool(call(PROGRAM)));
  });
  assert.deepEqual(effects(), ['1', '2', '3']);
});

test('the newer client finds the newest revision by itself', async () => {
  const { args } = world('auto');
  await withClient2(new Stdio2({ command: process.env.PTCC, args: ['mcp', ...args] }), approving, async (client) => {
    assert.equal((await client.callTool(call('(+ 1 2)'))).structuredContent.value, '3');
    assert.deepEqual((await client.listTools()).tools.map((tool) => tool.name), ['lisp_eval', 'lisp_check', 'lisp_explain', 'lisp_reference']);
  }, 'auto');
});

test('the server is killed whenever the program waits', async () => {
  const { args, effects } = world('killed');
  let server = await serve(process.env.PTCC, ['mcp', '--http', '0', ...args]);
  const address = server.port;
  let killed = 0;
  const answer = async (request) => {
    await server.stop('SIGKILL');
    server = await serve(process.env.PTCC, ['mcp', '--http', address, ...args]);
    ++killed;
    return approving(request);
  };
  await withClient2(new Http2(new URL(server.url)), answer, async (client) => {
    accepts(await client.callTool(call(PROGRAM)));
    assert.equal(killed, 3);
    assert.deepEqual(effects(), ['1', '2', '3']);
  });
  await server.stop();
});

test('the newer client denies', async () => {
  const { args, effects } = world('denied');
  const server = await serve(process.env.PTCC, ['mcp', '--http', '0', ...args]);
  await withClient2(new Http2(new URL(server.url)), async (request) => (numberIn(request) === 2 ? { action: 'decline' } : approving(request)), async (client) => {
    const result = await client.callTool(call(PROGRAM));
    assert.equal(result.structuredContent.error.reason, 'approval_denied');
  });
  await server.stop();
  assert.deepEqual(effects(), ['1']);
});
