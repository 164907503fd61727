// Breadth-first search: distances and a shortest path in a grid maze, hop counts and components in a graph.
const mix = (h, x) => (h * 31 + x) % 1000000007;

const steps = [[-1, 0], [0, -1], [0, 1], [1, 0]];

function gridAnswer(h, rows) {
  const open = rows.map((row) => Array.from(row, (cell) => cell !== "#"));
  const distance = open.map((row) => row.map(() => -1));
  const count = open.reduce((sum, row) => sum + row.filter(Boolean).length, 0);

  const queue = [[1, 1]];
  let sum = 0;
  distance[1][1] = 0;
  for (let head = 0; head < queue.length; head++) {
    const [r, c] = queue[head], d = distance[r][c];
    sum += d;
    for (const [dr, dc] of steps) {
      const nr = r + dr, nc = c + dc;
      if (open[nr]?.[nc] && distance[nr][nc] < 0) {
        distance[nr][nc] = d + 1;
        queue.push([nr, nc]);
      }
    }
  }

  let far = -1, r, c;
  distance.forEach((row, i) => row.forEach((d, j) => {
    if (d > far) [far, r, c] = [d, i, j];
  }));
  h = mix(mix(mix(mix(h, count), queue.length), far), sum);

  // Walks downhill from the farthest cell to the start, first best neighbour first.
  h = mix(mix(h, r), c);
  while (distance[r][c] > 0) {
    const nearer = distance[r][c] - 1;
    const [dr, dc] = steps.find(([dr, dc]) => distance[r + dr]?.[c + dc] === nearer);
    r += dr;
    c += dc;
    h = mix(mix(h, r), c);
  }
  return h;
}

function adjacency(edges) {
  const graph = new Map();
  const connect = (from, to) => {
    const next = graph.get(from);
    if (next) next.push(to);
    else graph.set(from, [to]);
  };
  for (const [a, b] of edges) {
    connect(a, b);
    connect(b, a);
  }
  return graph;
}

/** The distances of the nodes reached, in the order in which they were. */
function distances(graph, start) {
  const distance = new Map([[start, 0]]);
  for (const [node, d] of distance) {
    for (const next of graph.get(node)) {
      if (!distance.has(next)) distance.set(next, d + 1);
    }
  }
  return distance;
}

function mixComponents(h, graph) {
  const nodes = [...graph.keys()].sort((a, b) => a - b), seen = new Set();
  for (const node of nodes) {
    if (seen.has(node)) continue;
    const reached = distances(graph, node);
    for (const other of reached.keys()) seen.add(other);
    h = mix(h, reached.size);
  }
  return h;
}

export function run({ rows, edges, sources }) {
  let h = gridAnswer(7, rows);
  const graph = adjacency(edges);
  h = mixComponents(h, graph);
  for (const source of sources) {
    const reached = distances(graph, source);
    let sum = 0, most = 0;
    for (const d of reached.values()) {
      sum += d;
      most = Math.max(most, d);
    }
    h = mix(mix(mix(h, reached.size), most), sum);
  }
  return h;
}
