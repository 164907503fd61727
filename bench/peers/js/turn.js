// The program of a fresh turn: best regions of ctx.orders. A classic script whose value is that of its last expression.
const groups = new Map();
for (const order of ctx.orders) {
  if (order.status === "paid" || order.status === "shipped") {
    const group = groups.get(order.region);
    if (group) group.push(order);
    else groups.set(order.region, [order]);
  }
}
const rows = [];
for (const [region, orders] of groups) {
  let total = 0, best = 0;
  for (const { amount, qty } of orders) {
    total += amount * qty;
    best = Math.max(best, amount);
  }
  rows.push({ region, n: orders.length, total, best });
}
rows.sort((a, b) => b.total - a.total);
rows.slice(0, 3).map((row) => `${row.region}=${row.n},${Math.floor(row.total)},${Math.floor(row.best)}`).join(";");
