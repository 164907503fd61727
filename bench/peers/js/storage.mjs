// Storage: building a tree of arrays with leaves of random length, then walking it; allocation of small arrays.
class Random {
  seed = 74755;

  next() {
    this.seed = (this.seed * 1309 + 13849) % 65536;
    return this.seed;
  }
}

function buildTree(depth, random) {
  if (depth === 1) return new Array((random.next() % 10) + 1).fill(null);
  const tree = [];
  for (let i = 0; i < 4; i++) tree.push(buildTree(depth - 1, random));
  return tree;
}

function countArrays(tree) {
  let n = 1;
  for (const child of tree) {
    if (child) n += countArrays(child);
  }
  return n;
}

function countSlots(tree) {
  let n = tree.length;
  for (const child of tree) {
    if (child) n += countSlots(child);
  }
  return n;
}

export function run({ depth }) {
  const random = new Random(), tree = buildTree(depth, random);
  return (31 * 31 * countArrays(tree) + 31 * countSlots(tree) + random.seed) % 1000000007;
}
