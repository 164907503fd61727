// Havlak, reduced (plain union-find, one pass): finding nested loops in a synthetic control-flow graph with arrays, maps and sets.
class Graph {
  successors = new Map();
  predecessors = new Map();

  connect(from, to) {
    Graph.#push(this.successors, from, to);
    Graph.#push(this.predecessors, to, from);
  }

  straight(start) {
    this.connect(start, start + 1);
    return start + 1;
  }

  diamond(start) {
    this.connect(start, start + 1);
    this.connect(start, start + 2);
    this.connect(start + 1, start + 3);
    this.connect(start + 2, start + 3);
    return start + 3;
  }

  /** Two loops inside one. */
  baseLoop(start) {
    const header = this.straight(start);
    const middle = this.diamond(header);
    const inner = this.straight(middle);
    const last = this.diamond(inner);
    const footer = this.straight(last);
    this.connect(last, inner);
    this.connect(middle, header);
    this.connect(footer, start);
    return this.straight(footer);
  }

  static #push(lists, key, node) {
    const list = lists.get(key);
    if (list) list.push(node);
    else lists.set(key, [node]);
  }
}

function buildGraph({ trees, chains, length }) {
  const graph = new Graph();
  graph.connect(0, 2);
  graph.connect(2, 1);
  let node = 2;
  for (let tree = 0; tree < trees; tree++) {
    const root = node + 1;
    graph.connect(2, root);
    node = root;
    for (let chain = 0; chain < chains; chain++) {
      const top = node;
      node = graph.straight(top);
      for (let i = 0; i < length; i++) node = graph.baseLoop(node);
      const bottom = graph.straight(node);
      graph.connect(node, top);
      node = bottom;
    }
    graph.connect(node, 1);
  }
  return graph;
}

/** Depth-first numbering from 0: nodes by number, number by node, last descendant by number. */
function numberNodes(graph) {
  const nodes = [], number = new Map(), last = [], stack = [["enter", 0]];
  while (stack.length > 0) {
    const [step, node] = stack.pop();
    if (step === "leave") {
      last[number.get(node)] = nodes.length - 1;
    } else if (!number.has(node)) {
      number.set(node, nodes.length);
      nodes.push(node);
      stack.push(["leave", node]);
      const successors = graph.successors.get(node) ?? [];
      for (let i = successors.length - 1; i >= 0; i--) stack.push(["enter", successors[i]]);
    }
  }
  return { nodes, number, last };
}

function findRoot(parents, x) {
  while (parents[x] !== x) x = parents[x];
  return x;
}

function findLoops(graph) {
  const { nodes, number, last } = numberNodes(graph);
  const isAncestor = (w, v) => w <= v && v <= last[w];
  const parents = nodes.map((_, w) => w), back = nodes.map(() => []), entering = nodes.map(() => new Set());
  const loops = new Map();
  nodes.forEach((node, w) => {
    for (const from of graph.predecessors.get(node) ?? []) {
      const v = number.get(from);
      if (v === undefined) continue;
      if (isAncestor(w, v)) back[w].push(v);
      else entering[w].add(v);
    }
  });
  for (let w = nodes.length - 1; w >= 0; w--) {
    const body = new Set(), work = [];
    let kind = "reducible", own = false;
    const add = (v) => {
      if (body.has(v)) return;
      body.add(v);
      work.push(v);
    };
    for (const v of back[w]) {
      if (v === w) own = true;
      else add(findRoot(parents, v));
    }
    while (work.length > 0) {
      for (const y of entering[work.pop()]) {
        const root = findRoot(parents, y);
        if (!isAncestor(w, root)) {
          kind = "irreducible";
          entering[w].add(root);
        } else if (root !== w) {
          add(root);
        }
      }
    }
    if (own || body.size > 0) {
      let members = 0;
      for (const v of body) {
        parents[v] = w;
        const inner = loops.get(v);
        if (inner) inner.parent = w;
        else members++;
      }
      loops.set(w, { kind: body.size > 0 ? kind : "self", members, parent: null, depth: 1 });
    }
  }
  return loops;
}

const codes = { reducible: 1, irreducible: 2, self: 3 };

export function run(data) {
  const loops = findLoops(buildGraph(data));
  let h = loops.size;
  for (const [header, loop] of [...loops].sort((a, b) => a[0] - b[0])) {
    if (loop.parent !== null) loop.depth = loops.get(loop.parent).depth + 1;
    h = (h * 31 + header * 1000 + codes[loop.kind] * 100 + loop.members * 10 + loop.depth) % 1000000007;
  }
  return h;
}
