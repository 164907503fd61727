// Three-way join of record lists (customers, orders, items) by hash index, then totals by country and month and best customers.
const indexBy = (field, records) => new Map(records.map((record) => [record[field], record]));

function joinAll(customers, orders, items) {
  const customerOf = indexBy("id", customers), orderOf = indexBy("id", orders), rows = [];
  for (const item of items) {
    const order = orderOf.get(item.order);
    const customer = order && customerOf.get(order.customer);
    if (!customer) continue;
    rows.push({
      order: item.order,
      sku: item.sku,
      quantity: item.quantity,
      price: item.price,
      amount: item.quantity * item.price,
      month: order.date.slice(0, 7),
      channel: order.channel,
      name: customer.name,
      country: customer.country,
      segment: customer.segment,
    });
  }
  return rows;
}

function totalsBy(keyOf, rows) {
  const totals = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    totals.set(key, (totals.get(key) ?? 0) + row.amount);
  }
  return totals;
}

function groupBy(field, rows) {
  const groups = new Map();
  for (const row of rows) {
    const group = groups.get(row[field]);
    if (group) group.push(row);
    else groups.set(row[field], [row]);
  }
  return groups;
}

const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const linesOf = (totals) => [...totals.keys()].sort().map((key) => `${key} ${totals.get(key)}`);

function hashText(h, text) {
  for (let i = 0; i < text.length; i++) h = (h * 31 + text.charCodeAt(i)) % 1000000007;
  return h;
}

export function run({ customers, orders, items }) {
  const rows = joinAll(customers, orders, items);
  const report = [
    `joined ${rows.length} of ${items.length}`,
    ...linesOf(totalsBy((row) => `${row.country} ${row.month}`, rows)),
    ...linesOf(totalsBy((row) => `${row.segment}/${row.channel}`, rows)),
  ];
  const countries = groupBy("country", rows);
  for (const country of [...countries.keys()].sort()) {
    const best = [...totalsBy((row) => row.name, countries.get(country))].sort((a, b) => b[1] - a[1] || byText(a[0], b[0]));
    for (const [name, total] of best.slice(0, 3)) report.push(`${country} ${name} ${total}`);
  }
  const buyers = new Set(orders.map((order) => order.customer));
  const idle = customers.filter((customer) => !buyers.has(customer.id)).sort((a, b) => byText(a.id, b.id));
  report.push(...idle.map((customer) => customer.name));
  return report.reduce(hashText, 7);
}
