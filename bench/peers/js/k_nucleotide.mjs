// K-nucleotide: frequencies of all substrings of several lengths of a DNA text, counted in maps.
const patterns = ["GGT", "GGTA", "GGTATT", "GGTATTTTAATT", "GGTATTTTAATTTATAGT"];

function countFrames(dna, size) {
  const counts = new Map();
  for (let i = 0; i + size <= dna.length; i++) {
    const frame = dna.slice(i, i + size);
    counts.set(frame, (counts.get(frame) ?? 0) + 1);
  }
  return counts;
}

function shares(dna, size) {
  const counts = [...countFrames(dna, size)];
  const total = counts.reduce((sum, [, n]) => sum + n, 0);
  return counts
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(([frame, n]) => `${frame} ${Math.floor((100000 * n) / total)}`);
}

function hashText(h, text) {
  for (let i = 0; i < text.length; i++) h = (h * 31 + text.charCodeAt(i)) % 1000000007;
  return h;
}

export function run(data) {
  const dna = data.dna.toUpperCase();
  const found = patterns.map((pattern) => `${countFrames(dna, pattern.length).get(pattern) ?? 0} ${pattern}`);
  return [...shares(dna, 1), ...shares(dna, 2), ...found].reduce(hashText, 7);
}
