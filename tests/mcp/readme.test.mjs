// The `mcpServers` object of the README, started by an official client as others start it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const README = readFileSync(join(dirname(process.env.MCP_EXPECTED), '../../README.md'), 'utf8');
const BLOCK = /```json\n(\{"mcpServers"[\s\S]*?)```/.exec(README)[1];

/** A folder with the data that the README names. */
function project() {
  const cwd = mkdtempSync(join(tmpdir(), 'ptc-mcp-'));
  mkdirSync(join(cwd, 'build/demo-data'), { recursive: true });
  writeFileSync(join(cwd, 'build/demo-data/orders.json'), '[{"id": 1, "total": 5}, {"id": 2, "total": 7}]');
  return cwd;
}

test('the inspector reads the object of the README as a file', () => {
  const cwd = project();
  mkdirSync(join(cwd, 'bin'));
  symlinkSync(process.env.PTCC, join(cwd, 'bin/ptcc'));
  writeFileSync(join(cwd, 'mcp.json'), BLOCK);
  const inspector = resolve('node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
  const env = { ...process.env, HOME: cwd, PATH: `${join(cwd, 'bin')}:${process.env.PATH}`, MCP_INSPECTOR_SECRET_STORE: 'memory' };
  const said = execFileSync(process.execPath, [inspector, '--cli', '--config', join(cwd, 'mcp.json'), '--server', 'ptc', '--method', 'tools/call',
    '--tool-name', 'lisp_eval', '--tool-args-json', JSON.stringify({ source: '(reduce + (map :total data/orders))' }), '--format', 'json'],
    { cwd, env, encoding: 'utf8' });
  assert.equal(JSON.parse(said).result.structuredContent.json, 12);
  rmSync(cwd, { recursive: true });
});

test('the object of the README starts a server with its data', async () => {
  const { command, args } = JSON.parse(BLOCK).mcpServers.ptc;
  assert.equal(command, 'ptcc');
  const cwd = project();
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.env.PTCC, args, cwd }));
  const result = await client.callTool({ name: 'lisp_eval', arguments: { source: '(reduce + (map :total data/orders))' } });
  assert.equal(result.structuredContent.json, 12);
  await client.close();
  rmSync(cwd, { recursive: true });
});
