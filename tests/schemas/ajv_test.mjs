// ajv_test.mjs PTCC [PAIRS [SEED]]: JSON Schemas made from random signatures are accepted by ajv in its strict mode, and ajv says
// of random values what the validators say: with the exact schema as with ordinary validation, with the closed one as with strict.
import {spawnSync} from "node:child_process";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import {Random} from "./random.mjs";

const [ptcc, pairs = "10000", seed = "1"] = process.argv.slice(2);
const VALUES_PER_SIGNATURE = 10;
const random = new Random(Number(seed));

/** The answers of `ptcc signature --batch`, one for each request. */
function ask(requests) {
  const input = requests.map((request) => JSON.stringify(request)).join("\n") + "\n";
  const done = spawnSync(ptcc, ["signature", "--batch"], {input, encoding: "utf8", maxBuffer: 1 << 30});
  if (done.status !== 0) throw new Error(`ptcc ended with ${done.status}: ${done.stderr}`);
  return done.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
}

// A union of numbers with limits has them beside no type; that is what unions are for. Schemas are checked against the draft's own.
const ajv = new Ajv2020({strict: true, strictTypes: false, allErrors: false, addUsedSchema: false});
addFormats(ajv);

const cases = Array.from({length: Math.ceil(Number(pairs) / VALUES_PER_SIGNATURE)}, () => random.type(3));
const failures = [];
const verdicts = {true: 0, false: 0};

const styles = ["exact", "closed", "tool", "structured"];
const schemas = {};
for (const style of styles)
  schemas[style] = ask(cases.map((type, id) => ({id, signature: type.text, style}))).map((answer, i) => {
    if (!answer.ok) throw new Error(`${cases[i].text}: ${JSON.stringify(answer)}`);
    return answer.json_schema;
  });

const requests = [];
const expected = [];
for (let i = 0; i < cases.length; ++i) {
  const compiled = {};
  for (const style of styles) {
    try {
      compiled[style] = ajv.compile(schemas[style][i]);
    } catch (error) {
      failures.push(`${style} schema of ${cases[i].text} is refused: ${error.message}\n  ${JSON.stringify(schemas[style][i])}`);
    }
  }
  for (let k = 0; k < VALUES_PER_SIGNATURE; ++k) {
    let data = random.next() < 0.1 ? random.value(2) : cases[i].make();
    if (random.next() < 0.5) data = random.spoil(data);
    const mode = random.of(["enabled", "strict"]);
    const validate = compiled[mode === "strict" ? "closed" : "exact"];
    if (!validate) continue;
    requests.push({id: requests.length, signature: cases[i].text, direction: "output", mode, surface: "json_text", data});
    expected.push(validate(data));
  }
}
ask(requests).forEach((answer, i) => {
  verdicts[expected[i]] += 1;
  if (answer.ok === expected[i]) return;
  failures.push(`${requests[i].signature} (${requests[i].mode}) ${JSON.stringify(requests[i].data)}: ajv says ${expected[i]}, ` +
    `ptc ${answer.ok} ${JSON.stringify(answer.errors)}`);
});

for (const failure of failures.slice(0, 20)) console.log(failure);
console.log(`${requests.length} pairs of ${cases.length} signatures: ${verdicts.true} valid, ${verdicts.false} not; ${failures.length} disagreements`);
if (verdicts.true < requests.length / 5 || verdicts.false < requests.length / 5) {
  console.log("the pairs are too much of one kind to tell anything");
  process.exit(1);
}
process.exit(failures.length === 0 ? 0 : 1);
