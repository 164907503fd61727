// DeltaBlue, reduced (acyclic networks only, no cycle check): incremental constraint solving, chain and projection tests, mutable objects.
const required = 0, preferred = 2, strongDefault = 3, normal = 4, weakest = 6;

class Variable {
  constructor(value) {
    this.value = value;
    this.constraints = [];
    this.determinedBy = null;
    this.mark = 0;
    this.strength = weakest;
    this.stay = true;
  }

  /** Pushes the constraints that read this variable. */
  pushConsumers(waiting) {
    for (const c of this.constraints) {
      if (c !== this.determinedBy && c.direction) waiting.push(c);
    }
  }

  isKnown(mark) {
    return this.mark === mark || this.stay || this.determinedBy === null;
  }
}

class Constraint {
  constructor({ kind, strength, a = null, b, scale = null, offset = null }) {
    this.kind = kind;
    this.strength = strength;
    this.a = a;
    this.b = b;
    this.scale = scale;
    this.offset = offset;
    this.direction = null;
    this.id = 0;
  }

  get output() {
    return this.direction === "backward" ? this.a : this.b;
  }

  get input() {
    return this.direction === "backward" ? this.b : this.a;
  }

  get variables() {
    return [this.a, this.b, this.scale, this.offset].filter((v) => v !== null);
  }

  execute() {
    if (this.kind === "equal") {
      this.output.value = this.input.value;
    } else if (this.kind === "scale") {
      if (this.direction === "forward") this.b.value = this.scale.value * this.a.value + this.offset.value;
      else this.a.value = Math.floor((this.b.value - this.offset.value) / this.scale.value);
    }
  }

  recalculate() {
    const out = this.output;
    let stay = this.kind !== "edit", strength = this.strength;
    if (this.a) {
      const input = this.input;
      strength = Math.max(strength, input.strength);
      stay &&= input.stay;
      if (this.scale) stay &&= this.scale.stay && this.offset.stay;
    }
    out.strength = strength;
    out.stay = stay;
    if (stay) this.execute();
  }

  chooseDirection(mark) {
    const { a, b, strength } = this;
    if (a && a.mark !== mark && (b.mark === mark || a.strength > b.strength)) {
      return strength < a.strength ? "backward" : null;
    }
    return b.mark !== mark && strength < b.strength ? "forward" : null;
  }

  hasKnownInputs(mark) {
    if (!this.a) return true;
    return this.input.isKnown(mark) && (!this.scale || (this.scale.isKnown(mark) && this.offset.isKnown(mark)));
  }
}

function propagate(constraint) {
  const waiting = [constraint];
  while (waiting.length > 0) {
    const c = waiting.pop();
    c.recalculate();
    c.output.pushConsumers(waiting);
  }
}

/** The constraint that `c` overrides, if any. */
function satisfy(c, mark) {
  c.direction = c.chooseDirection(mark);
  if (!c.direction) return null;
  const out = c.output, overridden = out.determinedBy;
  if (c.a) {
    c.input.mark = mark;
    if (c.scale) c.scale.mark = c.offset.mark = mark;
  }
  if (overridden) overridden.direction = null;
  out.determinedBy = c;
  propagate(c);
  out.mark = mark;
  return overridden;
}

function releaseVariable(variable) {
  variable.determinedBy = null;
  variable.strength = weakest;
  variable.stay = true;
  const waiting = [variable], unsatisfied = [];
  while (waiting.length > 0) {
    const v = waiting.pop();
    for (const c of v.constraints) {
      if (!c.direction) unsatisfied.push(c);
    }
    for (const c of v.constraints) {
      if (c !== v.determinedBy && c.direction) {
        c.recalculate();
        waiting.push(c.output);
      }
    }
  }
  return unsatisfied;
}

class Net {
  mark = 0;
  count = 0;

  solve(constraint) {
    const mark = ++this.mark;
    for (let c = constraint; c; c = satisfy(c, mark));
  }

  add(description) {
    const c = new Constraint(description);
    c.id = ++this.count;
    for (const v of c.variables) v.constraints.push(c);
    this.solve(c);
    return c;
  }

  remove(c) {
    const out = c.direction && c.output;
    c.direction = null;
    for (const v of c.variables) {
      const at = v.constraints.indexOf(c);
      if (at >= 0) v.constraints.splice(at, 1);
    }
    if (!out) return;
    const unsatisfied = releaseVariable(out);
    unsatisfied.sort((x, y) => x.strength - y.strength || x.id - y.id);
    for (const d of unsatisfied) {
      if (!d.direction) this.solve(d);
    }
  }

  makePlan(source) {
    const mark = ++this.mark, waiting = [source], plan = [];
    while (waiting.length > 0) {
      const c = waiting.pop(), out = c.output;
      if (out.mark !== mark && c.hasKnownInputs(mark)) {
        plan.push(c);
        out.mark = mark;
        out.pushConsumers(waiting);
      }
    }
    return plan;
  }

  editVariable(v, value, times) {
    const edit = this.add({ kind: "edit", strength: preferred, b: v });
    const plan = this.makePlan(edit);
    for (let i = 0; i < times; i++) setAndRun(plan, v, value);
    this.remove(edit);
  }
}

function setAndRun(plan, v, value) {
  v.value = value;
  for (const c of plan) c.execute();
}

const mix = (h, x) => (h * 31 + x) % 1000000007;

function chainTest(length, edits) {
  const net = new Net();
  const vars = Array.from({ length: length + 1 }, () => new Variable(0)), first = vars[0], last = vars[length];
  for (let i = 0; i < length; i++) net.add({ kind: "equal", strength: required, a: vars[i], b: vars[i + 1] });
  net.add({ kind: "stay", strength: strongDefault, b: last });
  let edit = net.add({ kind: "edit", strength: preferred, b: first });
  let plan = net.makePlan(edit);
  let h = 7;
  for (let i = 0; i < edits; i++) {
    setAndRun(plan, first, i * i);
    h = mix(h, last.value);
  }
  net.remove(edit);
  edit = net.add({ kind: "edit", strength: preferred, b: last });
  plan = net.makePlan(edit);
  setAndRun(plan, last, 5);
  setAndRun(plan, last, 6);
  net.remove(edit);
  return mix(h, first.value);
}

function projectionTest(pairs) {
  const net = new Net();
  const scale = new Variable(10), offset = new Variable(1000), targets = [];
  let source, target;
  for (let i = 0; i < pairs; i++) {
    source = new Variable(i);
    target = new Variable(i);
    targets.push(target);
    net.add({ kind: "stay", strength: normal, b: source });
    net.add({ kind: "scale", strength: required, a: source, b: target, scale, offset });
  }
  const mixTargets = (h) => targets.reduce((h, v) => mix(h, v.value), h);
  net.editVariable(source, 17, 10);
  let h = mix(11, target.value);
  net.editVariable(target, 1050, 10);
  h = mix(h, source.value);
  net.editVariable(scale, 5, 10);
  h = mixTargets(h);
  net.editVariable(offset, 2000, 10);
  return mixTargets(h);
}

export function run({ chain, edits, pairs }) {
  return mix(chainTest(chain, edits), projectionTest(pairs));
}
