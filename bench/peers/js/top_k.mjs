// Best k of records: sorted within each group, a leaderboard kept over a stream by insertion, and ranks with ties.
const byRank = (a, b) => b.score - a.score || a.id - b.id;
const isBetter = (a, b) => byRank(a, b) < 0;
const mix = (h, x) => (h * 31 + x) % 1000000007;

function topOfGroups(h, k, rows) {
  const groups = new Map();
  for (const row of rows) {
    const group = groups.get(row.team);
    if (group) group.push(row);
    else groups.set(row.team, [row]);
  }
  for (const team of [...groups.keys()].sort()) {
    for (const row of groups.get(team).sort(byRank).slice(0, k)) h = mix(mix(h, row.id), row.score);
  }
  return h;
}

/** After each record the leaderboard holds the k best so far. */
function streamLeaders(k, rows) {
  const board = [];
  let changes = 0;
  for (const row of rows) {
    if (board.length === k && !isBetter(row, board[k - 1])) continue;
    let low = 0, high = board.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBetter(row, board[middle])) high = middle;
      else low = middle + 1;
    }
    board.splice(low, 0, row);
    if (board.length > k) board.pop();
    changes++;
  }
  return { board, changes };
}

function bestPerPlayer(rows) {
  const best = new Map();
  for (const row of rows) {
    const old = best.get(row.player);
    if (!old || isBetter(row, old)) best.set(row.player, row);
  }
  return [...best.values()];
}

export function run({ k, rows }) {
  let h = topOfGroups(7, k, rows);
  const { board, changes } = streamLeaders(4 * k, rows);
  for (const row of board) h = mix(mix(h, row.score), row.id);
  h = mix(h, changes);
  let rank = 0, score;
  bestPerPlayer(rows).sort(byRank).forEach((row, i) => {
    if (row.score !== score) {
      rank = i + 1;
      score = row.score;
    }
    h = mix(mix(h, rank), row.id);
  });
  return h;
}
