// The inspector of the protocol's makers, as people and scripts use it on a command line, against `ptcc mcp`: both eras over standard input,
// and HTTP.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { serve } from './process.mjs';

const INSPECTOR = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js';
const home = mkdtempSync(join(tmpdir(), 'ptc-mcp-'));
after(() => rmSync(home, { recursive: true }));
const CONFIG = join(home, 'mcp.json');
writeFileSync(CONFIG, JSON.stringify({ mcpServers: { ptc: { command: process.env.PTCC, args: ['mcp'], protocolEra: 'modern' } } }));
const SUM = ['--method', 'tools/call', '--tool-name', 'lisp_eval', '--tool-args-json'];
const source = (text) => [...SUM, JSON.stringify({ source: text })];

/** Its exit code, and the result that it shows. */
function inspect(...args) {
  const env = { ...process.env, HOME: home, MCP_INSPECTOR_SECRET_STORE: 'memory' };
  return new Promise((resolve) =>
    execFile(process.execPath, [INSPECTOR, '--cli', ...args, '--format', 'json'], { env, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, result: stdout.trim() ? JSON.parse(stdout).result : null, stderr })));
}

async function gives(...args) {
  const { code, result, stderr } = await inspect(...args);
  assert.equal(code, 0, stderr);
  return result;
}

for (const [era, target] of [['sessions', [process.env.PTCC, 'mcp']], ['2026-07-28', ['--config', CONFIG, '--server', 'ptc']]]) {
  test(`over standard input, ${era}`, async () => {
    const { tools } = await gives(...target, '--method', 'tools/list');
    assert.deepEqual(tools.map((tool) => tool.name), ['lisp_eval', 'lisp_check', 'lisp_explain', 'lisp_reference']);
    assert.equal((await gives(...target, ...source('(reduce + (range 10))'))).structuredContent.json, 45);
    const { resources } = await gives(...target, '--method', 'resources/list');
    assert.match((await gives(...target, '--method', 'resources/read', '--uri', resources[0].uri)).contents[0].text, /Programs are Clojure/);
    assert.deepEqual((await gives(...target, '--method', 'prompts/list')).prompts.map((prompt) => prompt.name), ['solve']);
  });
}

test('a program that fails is a tool that fails', async () => {
  assert.equal((await inspect(process.env.PTCC, 'mcp', ...source('(/ 1 0)'))).code, 5);
});

test('over HTTP', async () => {
  const server = await serve(process.env.PTCC, ['mcp', '--http', '0']);
  assert.equal((await gives(server.url, '--transport', 'http', ...source('(* 6 7)'))).structuredContent.json, 42);
  await server.stop();
});
