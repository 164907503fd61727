// Knapsack (each item once): a table of best values by item and capacity, then the chosen items read back from it.
function bestRows(items, capacity) {
  let before = new Array(capacity + 1).fill(0);
  const rows = [before];
  for (const { weight, value } of items) {
    const row = [];
    for (let c = 0; c <= capacity; c++) {
      let best = before[c];
      if (c >= weight) {
        const other = before[c - weight] + value;
        if (other > best) best = other;
      }
      row.push(best);
    }
    rows.push(row);
    before = row;
  }
  return rows;
}

/** Walks the rows backwards: an item was taken where its row differs from the one before. */
function chosen(rows, items, capacity) {
  const taken = [];
  for (let i = items.length; i > 0; i--) {
    if (rows[i][capacity] !== rows[i - 1][capacity]) {
      taken.unshift(items[i - 1]);
      capacity -= items[i - 1].weight;
    }
  }
  return taken;
}

const mix = (h, x) => (h * 31 + x) % 1000000007;

export function run({ items, capacity }) {
  const rows = bestRows(items, capacity), last = rows[items.length];
  let h = last[capacity], weight = 0, value = 0;
  for (const item of chosen(rows, items, capacity)) {
    h = mix(h, item.id);
    weight += item.weight;
    value += item.value;
  }
  h = mix(mix(h, weight), value);
  for (let c = 0; c <= capacity; c += 100) h = mix(h, last[c]);
  return h;
}
