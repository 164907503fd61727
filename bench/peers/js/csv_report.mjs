// A sales report from CSV text: splitting lines, quoted fields, amounts in cents, totals by region, month and product.
function splitLine(line) {
  const fields = [];
  let position = 0;
  while (true) {
    let field;
    if (line[position] === '"') {
      const parts = [];
      let from = position + 1;
      while (true) {
        const quote = line.indexOf('"', from);
        parts.push(line.slice(from, quote));
        if (line[quote + 1] !== '"') {
          position = quote + 1;
          break;
        }
        parts.push('"');
        from = quote + 2;
      }
      field = parts.join("");
    } else {
      const comma = line.indexOf(",", position);
      const end = comma < 0 ? line.length : comma;
      field = line.slice(position, end);
      position = end;
    }
    fields.push(field);
    if (position >= line.length) return fields;
    position++;
  }
}

function parseCsv(text) {
  const [header, ...lines] = text.split("\n").filter((line) => line !== "").map(splitLine);
  return lines.map((fields) => Object.fromEntries(header.map((name, i) => [name, fields[i]])));
}

function parseCents(text) {
  const [, whole, cents] = /^(\d+)\.(\d+)$/.exec(text);
  return Number(whole) * 100 + Number(cents);
}

function money(cents) {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
}

function totalsBy(sales, field) {
  const totals = new Map();
  for (const sale of sales) totals.set(sale[field], (totals.get(sale[field]) ?? 0) + sale.amount);
  return totals;
}

const total = (sales) => sales.reduce((sum, sale) => sum + sale.amount, 0);

function best(totals) {
  let name, amount;
  for (const [key, value] of totals) {
    if (name === undefined || value > amount || (value === amount && key < name)) [name, amount] = [key, value];
  }
  return `${name} ${money(amount)}`;
}

function regionLines(region, sales) {
  const months = totalsBy(sales, "month");
  return [
    `${region}: ${sales.length} orders, ${money(total(sales))}`,
    `  best product ${best(totalsBy(sales, "product"))}`,
    `  best customer ${best(totalsBy(sales, "customer"))}`,
    ...[...months.keys()].sort().map((month) => `  ${month} ${money(months.get(month))}`),
  ];
}

function hashText(h, text) {
  for (let i = 0; i < text.length; i++) h = (h * 31 + text.charCodeAt(i)) % 1000000007;
  return h;
}

export function run({ text }) {
  const sales = [], regions = new Map();
  let units = 0;
  for (const row of parseCsv(text)) {
    if (row.status !== "paid") continue;
    const quantity = Number(row.quantity);
    const sale = { ...row, quantity, amount: quantity * parseCents(row.price), month: row.date.slice(0, 7) };
    sales.push(sale);
    units += quantity;
    const group = regions.get(sale.region);
    if (group) group.push(sale);
    else regions.set(sale.region, [sale]);
  }
  const report = [...regions.keys()].sort().flatMap((region) => regionLines(region, regions.get(region)));
  report.push(`units ${units}`, `total ${money(total(sales))}`);
  return report.reduce(hashText, 7);
}
