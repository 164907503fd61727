// The `mcpServers` object of the README, started by an official client as others start it.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

test('the object of the README starts a server with its data', async () => {
  const readme = readFileSync(join(dirname(process.env.MCP_EXPECTED), '../../README.md'), 'utf8');
  const block = /```json\n(\{"mcpServers"[\s\S]*?)```/.exec(readme)[1];
  const { command, args } = JSON.parse(block).mcpServers.ptc;
  assert.equal(command, 'ptcc');
  const cwd = mkdtempSync(join(tmpdir(), 'ptc-mcp-'));
  mkdirSync(join(cwd, 'build/demo-data'), { recursive: true });
  writeFileSync(join(cwd, 'build/demo-data/orders.json'), '[{"id": 1, "total": 5}, {"id": 2, "total": 7}]');
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.env.PTCC, args, cwd }));
  const result = await client.callTool({ name: 'lisp_eval', arguments: { source: '(reduce + (map :total data/orders))' } });
  assert.equal(result.structuredContent.json, 12);
  await client.close();
  rmSync(cwd, { recursive: true });
});
