// JavaScript as node runs it: with its compilers, or with --jitless (an option of node's own) as an interpreter.
//
//   node [--jitless] host.mjs bench SCRIPT_DIR DATA_DIR WORKLOAD REPS  workload<TAB>ms<TAB>check, one line a repetition
//   node [--jitless] host.mjs fresh SCRIPT JSON N NAME                 create a context, load the data, compile, run
//   node [--jitless] host.mjs trivial N NAME                           the same for 1 + 2 without data
//   node [--jitless] host.mjs idle N                                   memory of a context in which nothing was run
//
// CPU time is that of the whole process, so that node's compiling and collecting in threads beside the program counts. A context
// (node:vm) is what node has for code that must not see the host's variables; it is no sandbox, and its garbage is collected later.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createContext, runInContext, Script } from "node:vm";

const warmUps = 50;

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

const wallUs = () => Number(process.hrtime.bigint()) / 1e3;
const readText = (path) => readFileSync(path, "utf8");

async function load(path) {
  return import(pathToFileURL(resolve(path)).href);
}

/** {run, input} of a workload. WORKLOAD.mjs exports run, which gets what WORKLOAD.json holds; the first stand together in bench.mjs. */
async function setUp(scripts, data, name) {
  const own = `${scripts}/${name}.mjs`;
  if (existsSync(own)) return { run: (await load(own)).run, input: JSON.parse(readText(`${data}/${name}.json`)) };
  const { setup, run } = (await load(`${scripts}/bench.mjs`)).workloads[name];
  return { run, input: setup?.((file) => readText(`${data}/${file}`)) };
}

async function bench(scripts, data, name, repetitions) {
  const { run, input } = await setUp(scripts, data, name);
  for (let i = 0; i < repetitions; i++) {
    globalThis.gc?.();
    const before = cpuMs();
    const check = run(input);
    console.log(`${name}\t${(cpuMs() - before).toFixed(3)}\t${check.toFixed(0)}`);
  }
}

function percentile(values, p) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))].toFixed(2);
}

function fresh(source, json, n, name) {
  const phases = { create: [], context: [], compile: [], run: [] }, totals = [];
  let answer;
  for (let i = -warmUps; i < n; i++) {
    const began = wallUs();
    let last = began;
    const done = (phase) => {
      const now = wallUs();
      if (i >= 0) phases[phase].push(now - last);
      last = now;
    };
    const context = createContext({});
    done("create");
    if (json !== undefined) {
      context.text = json;
      runInContext("var ctx = JSON.parse(text)", context);
      done("context");
    }
    const script = new Script(`${source}\n// ${i}`); // not the same text again, which node would find compiled
    done("compile");
    answer = script.runInContext(context);
    done("run");
    if (i >= 0) totals.push(last - began);
  }
  const figures = [`n=${n}`, `p50=${percentile(totals, 0.5)}`, `p99=${percentile(totals, 0.99)}`, `min=${percentile(totals, 0)}`];
  for (const [phase, times] of Object.entries(phases)) {
    if (times.length > 0) figures.push(`${phase}=${percentile(times, 0.5)}`);
  }
  console.log([name, ...figures].join("\t"));
  console.log(`answer\t${answer}`);
}

function idle(n) {
  const contexts = [];
  const make = () => contexts.push(createContext({}));
  for (let i = 0; i < 100; i++) make();
  const before = process.memoryUsage.rss();
  for (let i = 0; i < n; i++) make();
  console.log(`idle\t${((process.memoryUsage.rss() - before) / 1024 / n).toFixed(2)}`);
}

const [command, ...args] = process.argv.slice(2);
if (command === "bench" && args.length === 4) {
  await bench(args[0], args[1], args[2], Number(args[3]));
} else if (command === "fresh" && args.length === 4) {
  fresh(readText(args[0]), readText(args[1]), Number(args[2]), args[3]);
} else if (command === "trivial" && args.length === 2) {
  fresh("1 + 2", undefined, Number(args[0]), args[1]);
} else if (command === "idle" && args.length === 1) {
  idle(Number(args[0]));
} else {
  console.error("usage: bench SCRIPT_DIR DATA_DIR WORKLOAD REPS | fresh SCRIPT JSON N NAME | trivial N NAME | idle N");
  process.exit(4);
}
