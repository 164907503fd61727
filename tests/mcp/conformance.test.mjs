// The conformance suite of the protocol against the fixture: each scenario of both revisions with exactly the checks that expected.tsv
// says. A scenario that checks nothing passes in the suite's own eyes, so checks are counted.
//   node conformance.test.mjs --update  writes the file anew
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { serve } from './process.mjs';

const SUITE = 'node_modules/@modelcontextprotocol/conformance';
const HEADING = '# What the conformance suite says of the fixture: revision, scenario, whether the revision requires it, checks that pass and that fail.';

/** The scenarios of servers that a revision requires. */
function required(revision) {
  const text = readFileSync(`${SUITE}/requirements/${revision}.yaml`, 'utf8').replace(/^#.*$/gm, '');
  const part = text.slice(text.search(/^server:/m), text.search(/^client:/m));
  return new Set([...part.matchAll(/^ {2}- (\S+)$/gm)].map((match) => match[1]));
}

function run(url, revision) {
  return new Promise((resolve) =>
    execFile(process.execPath, [`${SUITE}/dist/index.js`, 'server', '--url', url, '--requirements', revision], { maxBuffer: 1 << 26 },
      (error, stdout, stderr) => resolve({ failed: error !== null, text: stdout + stderr })));
}

const rows = [HEADING];
for (const revision of ['2025-11-25', '2026-07-28']) {
  test(`revision ${revision}`, async () => {
    const server = await serve(process.env.MCP_FIXTURE);
    const { failed, text } = await run(server.url, revision);
    await server.stop();
    const must = required(revision);
    const seen = [...text.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed$/gm)].map(([, name, passed, wrong]) =>
      [revision, name, must.has(name) ? 'required' : 'extra', passed, wrong].join('\t'));
    rows.push(...seen);
    for (const name of must) {
      const row = seen.find((one) => one.split('\t')[1] === name)?.split('\t');
      assert.ok(row, `${name} did not run:\n${text.slice(-3000)}`);
      assert.ok(Number(row[3]) > 0 && row[4] === '0', `${row}\n${text}`);
    }
    if (process.argv.includes('--update')) return;
    assert.equal(failed, false, text.slice(-3000));
    const held = readFileSync(process.env.MCP_EXPECTED, 'utf8').split('\n').filter((line) => line.startsWith(revision));
    assert.deepEqual(seen, held);
  });
}
test('update', { skip: !process.argv.includes('--update') }, () => writeFileSync(process.env.MCP_EXPECTED, rows.join('\n') + '\n'));
