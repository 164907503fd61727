// Walking nested records (a file tree) to their depth: totals per node, counts by level, heaviest paths, pruning.
function withTotals({ name, size, children }) {
  const walked = children.map(withTotals);
  let total = size, nodes = 1;
  for (const child of walked) {
    total += child.total;
    nodes += child.nodes;
  }
  return { name, size, children: walked, total, nodes };
}

const mix = (h, x) => (h * 31 + x) % 1000000007;

function hashText(h, text) {
  for (let i = 0; i < text.length; i++) h = mix(h, text.charCodeAt(i));
  return h;
}

function mixLevels(h, tree) {
  for (let level = [tree]; level.length > 0; level = level.flatMap((node) => node.children)) {
    h = mix(mix(h, level.length), level.reduce((sum, node) => sum + node.size, 0));
  }
  return h;
}

function heaviestPath(tree) {
  const path = [];
  for (let node = tree; node; ) {
    path.push(node.name);
    let best = null;
    for (const child of node.children) {
      if (!best || child.total > best.total || (child.total === best.total && child.name < best.name)) best = child;
    }
    node = best;
  }
  return path.join("/");
}

function prune(limit, { name, size, children }) {
  const kept = children.filter((child) => child.total >= limit).map((child) => prune(limit, child));
  return { name, size, children: kept };
}

function collectPaths(found, isWanted, prefix, node) {
  const path = prefix === null ? node.name : `${prefix}/${node.name}`;
  if (isWanted(node)) found.push(path);
  for (const child of node.children) collectPaths(found, isWanted, path, child);
}

function addKinds(sizes, node) {
  if (node.children.length === 0) {
    const kind = node.name.slice(node.name.lastIndexOf(".") + 1);
    sizes.set(kind, (sizes.get(kind) ?? 0) + node.size);
  }
  for (const child of node.children) addKinds(sizes, child);
}

function mixPruned(h, tree, limit) {
  const small = withTotals(prune(limit, tree));
  h = mix(mix(h, small.total), small.nodes);

  const sizes = new Map();
  addKinds(sizes, small);
  for (const kind of [...sizes.keys()].sort()) h = mix(hashText(h, kind), sizes.get(kind));

  const found = [];
  collectPaths(found, (node) => node.children.length > 0 && node.total > limit && node.total < 4 * limit, null, tree);
  return found.reduce(hashText, h);
}

export function run({ tree: given, limits }) {
  const tree = withTotals(given);
  let h = mixLevels(mix(tree.total, tree.nodes), tree);
  h = hashText(h, heaviestPath(tree));
  for (const limit of limits) h = mixPruned(h, tree, limit);
  return h;
}
