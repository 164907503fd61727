// ajv's compiled validator on the records of bench/signature_bench.cpp, as JavaScript objects. Prints the median time of one
// validation of all 10,000 in microseconds.
import {createRequire} from "node:module";
import {performance} from "node:perf_hooks";

const require = createRequire(process.argv[2] + "/");
const Ajv2020 = require("ajv/dist/2020.js").default;

const rows = [];
for (let i = 0; i < 10000; ++i)
  rows.push({id: i, name: `item ${i}`, price: i + 0.25, quantity: (i % 7) + 1, paid: true, region: "north", status: "open", note: "x"});
// As data arrives: parsed from JSON, so that every record has the same hidden class.
const data = JSON.parse(JSON.stringify(rows));
const schema = JSON.parse(process.argv[3]);
const validate = new Ajv2020({strict: true, strictTypes: false}).compile(schema);

const samples = [];
for (let round = 0; round < 400; ++round) {
  const begin = performance.now();
  if (!validate(data)) throw new Error(JSON.stringify(validate.errors));
  samples.push((performance.now() - begin) * 1000);
}
samples.splice(0, 100); // the compiler warms up
samples.sort((a, b) => a - b);
console.log(samples[samples.length >> 1].toFixed(1));
