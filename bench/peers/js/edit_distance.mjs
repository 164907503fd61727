// Edit distance by rows: finding for each misspelt word the nearest words of a dictionary.
function distance(a, b) {
  const row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const letter = a.charCodeAt(i - 1);
    let diagonal = row[0];
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const above = row[j];
      row[j] = letter === b.charCodeAt(j - 1) ? diagonal : Math.min(diagonal, above, row[j - 1]) + 1;
      diagonal = above;
    }
  }
  return row[b.length];
}

function suggest(dictionary, word) {
  return dictionary
    .filter((entry) => Math.abs(entry.length - word.length) <= 2)
    .map((entry) => ({ distance: distance(word, entry), entry }))
    .sort((a, b) => a.distance - b.distance || (a.entry < b.entry ? -1 : 1));
}

function hashText(h, text) {
  for (let i = 0; i < text.length; i++) h = (h * 31 + text.charCodeAt(i)) % 1000000007;
  return h;
}

export function run({ words, dictionary }) {
  let h = 7;
  for (const word of words) {
    for (const found of suggest(dictionary, word).slice(0, 3)) h = hashText(h + found.distance, found.entry);
  }
  return h;
}
