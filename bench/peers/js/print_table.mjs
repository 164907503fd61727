// Printing records as a text table: column widths, left and right alignment, thousands separators, clipped text, totals.
const thousands = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

function money(cents) {
  const size = Math.abs(cents);
  return `${cents < 0 ? "-" : ""}${thousands(Math.floor(size / 100))}.${String(size % 100).padStart(2, "0")}`;
}

const clip = (limit, text) => (text.length > limit ? `${text.slice(0, limit - 2)}..` : text);

const columns = [
  { title: "Name", cell: (row) => clip(18, row.name) },
  { title: "City", cell: (row) => row.city },
  { title: "Day", cell: (row) => row.day.replace(/^(\d+)-(\d+)-(\d+)$/, "$3/$2/$1") },
  { title: "Units", isRight: true, cell: (row) => thousands(row.units) },
  { title: "Amount", isRight: true, cell: (row) => money(row.cents) },
  { title: "State", cell: (row) => row.state.toUpperCase() },
];

function tableLines(rows) {
  const titles = columns.map((column) => column.title);
  const cells = rows.map((row) => columns.map((column) => column.cell(row)));
  const widths = titles.map((title, i) => cells.reduce((most, line) => Math.max(most, line[i].length), title.length));
  const align = (text, i) => (columns[i].isRight ? text.padStart(widths[i]) : text.padEnd(widths[i]));
  const formatLine = (line) => `| ${line.map(align).join(" | ")} |`;

  const rule = `+${widths.map((width) => "-".repeat(width + 2)).join("+")}+`;
  const lines = [rule, formatLine(titles), rule];
  cells.forEach((line, i) => {
    lines.push(formatLine(line));
    if ((i + 1) % 5 === 0 || i + 1 === cells.length) lines.push(rule);
  });
  return lines;
}

function totals(rows) {
  let units = 0, cents = 0;
  for (const row of rows) {
    units += row.units;
    cents += row.cents;
  }
  return { name: "total", city: "", day: "", state: "", units, cents };
}

const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const mix = (h, x) => (h * 31 + x) % 1000000007;

function hashText(h, text) {
  for (let i = 0; i < text.length; i++) h = mix(h, text.charCodeAt(i));
  return h;
}

export function run(data) {
  const groups = new Map();
  for (const row of data.rows) {
    const group = groups.get(row.state);
    if (group) group.push(row);
    else groups.set(row.state, [row]);
  }
  let h = 7;
  for (const state of [...groups.keys()].sort()) {
    const rows = groups.get(state).sort((a, b) => byText(a.city, b.city) || b.cents - a.cents || byText(a.name, b.name));
    const lines = tableLines([...rows, totals(rows)]);
    h = mix(hashText(h, state), lines.reduce((sum, line) => sum + line.length, 0));
    for (let i = 0; i < lines.length; i += 10) h = hashText(h, lines[i]);
  }
  return h;
}
