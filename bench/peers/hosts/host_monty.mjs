// Python as Monty runs it, a sandboxed interpreter for agents' code that is embedded in node here. Each command follows the folder
// whose node_modules has it.
//
//   node host_monty.mjs MODULES bench SCRIPT_DIR DATA_DIR WORKLOAD REPS  workload<TAB>ms<TAB>check, one line a repetition
//   node host_monty.mjs MODULES fresh SCRIPT JSON N NAME                 compile, then run with the data as text, which is parsed there
//   node host_monty.mjs MODULES trivial N NAME                           the same for 1 + 2 without data
//   node host_monty.mjs MODULES version
//
// Monty runs a part of Python: a program that it refuses is reported as workload<TAB>unsupported<TAB>why. It keeps no session
// without a program, so that there is no `idle`.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const warmUps = 50;
const [modules, command, ...args] = process.argv.slice(2);
const folder = `${resolve(modules)}/node_modules/@pydantic/monty`;
const { Monty, MontyError, MontyRepl } = await import(pathToFileURL(`${folder}/wrapper.js`).href);

const readText = (path) => readFileSync(path, "utf8");
const quoted = JSON.stringify; // Python reads its escapes alike

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

/** A session in which `run(given)` is the workload. Its program gets WORKLOAD.json, or the text file that its set-up in bench.py names. */
function setUp(scripts, data, name) {
  const session = new MontyRepl({ limits: { maxRecursionDepth: 20000 } });
  const own = `${scripts}/${name}.py`;
  if (existsSync(own)) {
    session.feed(readText(own));
    session.feed(`import json\ngiven = json.loads(${quoted(readText(`${data}/${name}.json`))})`);
    return session;
  }
  const source = readText(`${scripts}/bench.py`);
  const file = new RegExp(`"${name}": \\(lambda read: read\\("([^"]+)"\\)`).exec(source)?.[1];
  session.feed(source);
  session.feed(`text = ${quoted(file ? readText(`${data}/${file}`) : "")}`);
  session.feed(`prepare, run = WORKLOADS["${name}"]\ngiven = prepare(lambda file: text)`);
  return session;
}

function bench(scripts, data, name, repetitions) {
  try {
    const session = setUp(scripts, data, name);
    for (let i = 0; i < repetitions; i++) {
      const before = cpuMs();
      const check = session.feed("run(given)");
      console.log(`${name}\t${(cpuMs() - before).toFixed(3)}\t${Number(check).toFixed(0)}`);
    }
  } catch (error) {
    if (!(error instanceof MontyError)) throw error;
    console.log(`${name}\tunsupported\t${error.message.replace(/\s+/g, " ")}`);
  }
}

function percentile(values, p) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))].toFixed(2);
}

function fresh(source, text, n, name) {
  const wallUs = () => Number(process.hrtime.bigint()) / 1e3;
  const [inputs, given] = text === undefined ? [[], undefined] : [["text"], { inputs: { text } }];
  const compiling = [], running = [], totals = [];
  let answer;
  for (let i = -warmUps; i < n; i++) {
    const began = wallUs();
    const program = new Monty(source, { inputs });
    const compiled = wallUs();
    answer = program.run(given);
    const ended = wallUs();
    if (i < 0) continue;
    compiling.push(compiled - began);
    running.push(ended - compiled);
    totals.push(ended - began);
  }
  const figures = [`n=${n}`, `p50=${percentile(totals, 0.5)}`, `p99=${percentile(totals, 0.99)}`, `min=${percentile(totals, 0)}`];
  console.log([name, ...figures, `compile=${percentile(compiling, 0.5)}`, `run=${percentile(running, 0.5)}`].join("\t"));
  console.log(`answer\t${answer}`);
}

if (command === "bench" && args.length === 4) {
  bench(args[0], args[1], args[2], Number(args[3]));
} else if (command === "fresh" && args.length === 4) {
  fresh(`import json\nctx = json.loads(text)\n${readText(args[0])}\nresult`, readText(args[1]), Number(args[2]), args[3]);
} else if (command === "trivial" && args.length === 2) {
  fresh("1 + 2", undefined, Number(args[0]), args[1]);
} else if (command === "version") {
  console.log(createRequire(import.meta.url)(`${folder}/package.json`).version);
} else {
  console.error("usage: MODULES bench SCRIPT_DIR DATA_DIR WORKLOAD REPS | fresh SCRIPT JSON N NAME | trivial N NAME | version");
  process.exit(4);
}
