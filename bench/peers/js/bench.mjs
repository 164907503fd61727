// The first workloads for JavaScript: name -> {setup, run}. setup gets a function that reads a data file as text. Nothing here
// is of one host, so that node and QuickJS run the same files.
function random(seed) {
  let x = seed;
  return () => (x = (x * 16807) % 2147483647);
}

const regions = ["north", "south", "east", "west", "central"];
const states = ["paid", "pending", "shipped", "cancelled"];

function orders(n) {
  const next = random(42);
  return Array.from({ length: n }, (_, id) => ({
    id,
    customer: `c${next() % 1000}`,
    region: regions[next() % 5],
    status: states[next() % 4],
    amount: (next() % 40000) / 4,
    qty: 1 + (next() % 9),
  }));
}

const manyOrders = () => orders(100000);

function weighted(values) {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (i % 7) * values[i];
  return sum;
}

function fib(n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

function loopSum() {
  let sum = 0;
  for (let i = 0; i < 3000000; i++) sum += i;
  return sum;
}

function mandel() {
  const width = 256;
  let total = 0;
  for (let py = 0; py < width; py++) {
    const cy = -1.5 + (3.0 * py) / width;
    for (let px = 0; px < width; px++) {
      const cx = -2.0 + (3.0 * px) / width;
      let zr = 0.0, zi = 0.0, n = 0;
      while (n < 50 && zr * zr + zi * zi <= 4.0) {
        const next = zr * zr - zi * zi + cx;
        zi = 2.0 * zr * zi + cy;
        zr = next;
        n++;
      }
      total += n;
    }
  }
  return total;
}

function closures() {
  const adder = (k) => (x) => (x + k) % 1000003;
  let result = 1;
  for (let i = 0; i < 500000; i++) {
    const first = adder(i), second = adder(i + 1);
    result = second(first(result));
  }
  return result;
}

function stringBuilding() {
  const parts = [];
  for (let i = 0; i < 100000; i++) parts.push(`item-${i}`);
  return parts.join(",").length;
}

function pipeline() {
  return Array.from({ length: 1000000 }, (_, i) => i)
    .map((x) => x * 3 + 1)
    .filter((x) => x % 2 === 0)
    .reduce((sum, x) => sum + x, 0);
}

function mapUpdate() {
  const map = new Map(), n = 200000;
  for (let i = 0; i < n; i++) map.set((i * 7919) % 200003, i);
  let sum = 0;
  for (let i = 0; i < n; i++) sum += map.get(i) ?? 0;
  return sum;
}

function vectorAppend() {
  const values = [], n = 1000000;
  for (let i = 0; i < n; i++) values.push(i);
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

function numbers() {
  const next = random(99);
  return Array.from({ length: 200000 }, next);
}

function sortNumbers(values) {
  return weighted([...values].sort((a, b) => a - b));
}

function sortByAmount(records) {
  const sorted = [...records].sort((a, b) => a.amount - b.amount);
  return weighted(sorted.map((order) => order.amount)) * 4;
}

function groupAndAggregate(records) {
  const groups = new Map();
  for (const order of records) {
    const group = groups.get(order.customer);
    if (group) group.push(order);
    else groups.set(order.customer, [order]);
  }
  const rows = [];
  for (const [customer, group] of groups) {
    let total = 0, most = 0;
    for (const { amount, qty } of group) {
      total += amount;
      if (qty > most) most = qty;
    }
    rows.push({ customer, count: group.length, total, most });
  }
  rows.sort((a, b) => b.total - a.total);
  return rows.slice(0, 10).reduce((sum, row) => sum + row.total * 4 + row.count + row.most, rows.length);
}

function usersAndSales() {
  const next = random(7), n = 50000;
  const users = Array.from({ length: n }, (_, j) => ({ id: `u${j}`, name: `n${j}`, tier: j % 3 }));
  const sales = Array.from({ length: n }, (_, id) => ({ id, uid: `u${next() % n}`, amount: (next() % 40000) / 4 }));
  return { users, sales };
}

function join({ users, sales }) {
  const index = new Map();
  for (const user of users) index.set(user.id, user);
  const joined = [];
  for (const sale of sales) {
    const { name, tier } = index.get(sale.uid);
    if (tier === 1) joined.push({ ...sale, name, tier });
  }
  return joined.reduce((sum, row) => sum + row.amount * 4, joined.length);
}

function wordFrequencies(text) {
  const counts = new Map();
  for (const [word] of text.matchAll(/\S+/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const rows = [...counts].sort((a, b) => b[1] - a[1]);
  return rows.slice(0, 10).reduce((sum, [, count]) => sum + count * 1000, rows.length);
}

function mails(text) {
  let count = 0, length = 0;
  for (const [mail] of text.matchAll(/[a-z0-9]+@[a-z]+\.com/g)) {
    count++;
    length += mail.length;
  }
  return count * 1000000 + length;
}

function isSafe(queens, row, column) {
  for (let i = 0; i < row; i++) {
    const queen = queens[i], distance = row - i;
    if (queen === column || queen === column + distance || queen === column - distance) return false;
  }
  return true;
}

function placeQueens(queens, row, n) {
  if (row === n) return 1;
  let count = 0;
  for (let column = 0; column < n; column++) {
    if (isSafe(queens, row, column)) {
      queens[row] = column;
      count += placeQueens(queens, row + 1, n);
    }
  }
  return count;
}

function nQueens() {
  let total = 0;
  for (let i = 0; i < 10; i++) total += placeQueens([], 0, 8);
  return total;
}

function sumTo(n) {
  return n === 0 ? 0 : n + sumTo(n - 1);
}

// node's own stack holds about 10,800 of these calls.
function deepRecursion() {
  let total = 0;
  for (let i = 0; i < 100; i++) total += sumTo(10000);
  return total;
}

function assocSmall(records) {
  const priced = records.map((order) => {
    const total = order.amount * order.qty;
    return { ...order, total, big: total > 5000 };
  });
  return priced.reduce((sum, order) => sum + order.total, 0) * 4;
}

function fieldRead(records) {
  let sum = 0;
  for (let round = 0; round < 10; round++) {
    for (const order of records) sum += order.amount * order.qty;
  }
  return sum * 4;
}

export const workloads = {
  assoc_small: { setup: manyOrders, run: assocSmall },
  closures: { run: closures },
  deep_rec: { run: deepRecursion },
  fib: { run: () => fib(27) },
  field_read: { setup: manyOrders, run: fieldRead },
  group_agg: { setup: manyOrders, run: groupAndAggregate },
  join: { setup: usersAndSales, run: join },
  loop_sum: { run: loopSum },
  mandel: { run: mandel },
  map_update: { run: mapUpdate },
  nqueens: { run: nQueens },
  pipeline: { run: pipeline },
  regex: { setup: (read) => read("mails.txt"), run: mails },
  sort_by: { setup: manyOrders, run: sortByAmount },
  sort_nums: { setup: numbers, run: sortNumbers },
  strbuild: { run: stringBuilding },
  vec_conj: { run: vectorAppend },
  wordfreq: { setup: (read) => read("text.txt"), run: wordFrequencies },
};
