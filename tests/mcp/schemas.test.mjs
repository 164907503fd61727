// What the tools of `ptcc mcp` answer is what their output schemas say, and nothing else: an official client checks it, and so does a
// validator, which refuses answers that lack what is required.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Ajv2020 } from 'ajv/dist/2020.js';

// Of each tool: calls that come to all kinds of answers.
const CALLS = {
  lisp_eval: [{ source: '(+ 1 2)' }, { source: '(println "x") {:a [1 nil "b" 1.5 #{:c}]}' }, { source: '(/ 1 0)' }, { source: '(+ 1' }, { source: '(defn f [x] x) f' },
    { source: '(def a 1)', session: 'new' }, { source: '(first "x" 2)' }, { source: '(loop [] (recur))' }, { source: '(range 100000)' }, { source: '(return 5)' },
    { source: '(fail "no")' }, { source: '1', session: 'none' }, { source: '##NaN' }, { source: '"\\u0000"' }],
  lisp_check: [{ source: '(+ 1 2)' }, { source: '(+ 1' }, { source: '(frist [1])' }, { source: '(get-in {:a 1} :a) (undefined-name)' }, { source: '' }],
  lisp_explain: [{ source: '(+ 1 2)' }, { source: '(loop [] (recur))' }, { source: '(map inc (range 10))' }, { source: '(+ 1' }],
  lisp_reference: [{ query: 'sort' }, { query: 'group-by' }, { query: 'no such thing at all' }, { query: '' }],
};

test('answers are what the output schemas say', async (t) => {
  const client = new Client({ name: 'test', version: '1' });
  t.after(() => client.close());
  await client.connect(new StdioClientTransport({ command: process.env.PTCC, args: ['mcp'], stderr: 'inherit' }));
  const { tools } = await client.listTools(); // whose schemas the client checks from here on
  assert.deepEqual(tools.map((tool) => tool.name).sort(), Object.keys(CALLS).sort());
  const ajv = new Ajv2020({ strict: false });
  for (const tool of tools) {
    const validate = ajv.compile(tool.outputSchema);
    for (const args of CALLS[tool.name]) {
      const { structuredContent } = await client.callTool({ name: tool.name, arguments: args });
      assert.ok(structuredContent, `${tool.name} ${JSON.stringify(args)} has no structured content`);
      assert.ok(validate(structuredContent), `${tool.name} ${JSON.stringify(args)}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(structuredContent)}`);
      for (const member of Object.keys(structuredContent)) assert.ok(member in tool.outputSchema.properties, `${tool.name} says nothing of ${member}`);
      for (const member of tool.outputSchema.required ?? []) {
        const { [member]: _, ...rest } = structuredContent;
        assert.ok(!validate(rest), `${tool.name} is content without ${member}`);
      }
    }
  }
});
