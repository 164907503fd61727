// Allocation and recursive walking of many short-lived balanced binary trees beside one long-lived tree.
function makeTree(depth) {
  return depth === 0 ? { left: null, right: null } : { left: makeTree(depth - 1), right: makeTree(depth - 1) };
}

function countNodes({ left, right }) {
  return left ? 1 + countNodes(left) + countNodes(right) : 1;
}

const mix = (h, x) => (h * 31 + x) % 1000000007;

export function run({ n }) {
  const minDepth = 4, maxDepth = Math.max(minDepth + 2, n);
  let h = countNodes(makeTree(maxDepth + 1));
  const longLived = makeTree(maxDepth);
  for (let depth = minDepth; depth <= maxDepth; depth += 2) {
    const iterations = 2 ** (maxDepth - depth + minDepth);
    let check = 0;
    for (let i = 0; i < iterations; i++) check += countNodes(makeTree(depth));
    h = mix(h, check);
  }
  return mix(h, countNodes(longLived));
}
