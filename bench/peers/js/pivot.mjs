// Pivot tables over records: sums and maxima by two keys, row and column totals, shares, printed as text.
function pivot(rowKey, columnKey, valueOf, combine, records) {
  const rows = new Map();
  for (const record of records) {
    const r = rowKey(record), c = columnKey(record), value = valueOf(record);
    let row = rows.get(r);
    if (!row) rows.set(r, (row = new Map()));
    const old = row.get(c);
    row.set(c, old === undefined ? value : combine(old, value));
  }
  return rows;
}

function total(row) {
  let sum = 0;
  for (const value of row.values()) sum += value;
  return sum;
}

function columnTotals(rows) {
  const totals = new Map();
  for (const row of rows.values()) {
    for (const [column, value] of row) totals.set(column, (totals.get(column) ?? 0) + value);
  }
  return totals;
}

function linesOf(rows) {
  const totals = columnTotals(rows), columns = [...totals.keys()].sort(), grand = total(totals);
  const cells = (row) => columns.map((column) => row.get(column) ?? "-").join(" ");
  const lines = [`key ${columns.join(" ")}`];
  for (const name of [...rows.keys()].sort()) {
    const row = rows.get(name), sum = total(row);
    lines.push(`${name} ${cells(row)} ${sum} ${Math.floor((1000 * sum) / grand)}%o`);
  }
  lines.push(`total ${cells(totals)} ${grand}`);
  return lines;
}

const field = (name) => (record) => record[name];
const always = (value) => () => value;
const month = (record) => record.date.slice(0, 7);
const gross = (record) => record.amount * record.units;
const add = (a, b) => a + b;
const larger = (a, b) => Math.max(a, b);

function hashText(h, text) {
  for (let i = 0; i < text.length; i++) h = (h * 31 + text.charCodeAt(i)) % 1000000007;
  return h;
}

export function run({ records }) {
  const tables = [
    pivot(field("region"), month, gross, add, records),
    pivot(field("product"), field("region"), gross, add, records),
    pivot(field("product"), month, field("units"), add, records),
    pivot(month, field("region"), field("amount"), larger, records),
    pivot(field("seller"), field("region"), gross, add, records),
    pivot(field("seller"), month, always(1), add, records),
    pivot(field("product"), field("seller"), field("units"), add, records),
    pivot(field("seller"), always("sales"), always(1), add, records),
  ];
  return tables.flatMap(linesOf).reduce(hashText, 7);
}
