// Wrapping paragraphs of text: greedy lines, full justification, and least-ragged breaking by dynamic programming.
const wordsOf = (paragraph) => paragraph.match(/\S+/g) ?? [];
const lineWidth = (words) => words.reduce((width, word) => width + word.length, words.length - 1);

function wrap(width, words) {
  const lines = [];
  let line = [], used = 0;
  for (const word of words) {
    if (line.length === 0) {
      line = [word];
      used = word.length;
    } else if (used + 1 + word.length <= width) {
      line.push(word);
      used += 1 + word.length;
    } else {
      lines.push(line);
      line = [word];
      used = word.length;
    }
  }
  if (line.length > 0) lines.push(line);
  return lines;
}

/** Wider gaps go to the left. */
function justify(width, words) {
  const gaps = words.length - 1;
  if (gaps === 0) return words[0];
  const room = width - lineWidth(words), each = Math.floor(room / gaps), extra = room % gaps;
  const parts = [words[0]];
  for (let i = 1; i <= gaps; i++) parts.push(" ".repeat(1 + each + (i <= extra ? 1 : 0)), words[i]);
  return parts.join("");
}

function formatParagraph(width, words) {
  const lines = wrap(width, words), last = lines.pop();
  return [...lines.map((line) => justify(width, line)), last.join(" ")];
}

/** Least sum of squared room over all lines but the last, by the best cost of each tail. */
function leastRaggedness(width, words) {
  const n = words.length, costs = new Array(n + 1).fill(0);
  for (let start = n - 1; start >= 0; start--) {
    let used = -1, best = Infinity;
    for (let stop = start; stop < n; stop++) {
      used += 1 + words[stop].length;
      if (used > width) break;
      const room = width - used;
      best = Math.min(best, stop === n - 1 ? 0 : room * room + costs[stop + 1]);
    }
    costs[start] = best;
  }
  return costs[0];
}

const mix = (h, x) => (h * 31 + x) % 1000000007;

function hashText(h, text) {
  for (let i = 0; i < text.length; i++) h = mix(h, text.charCodeAt(i));
  return h;
}

export function run({ widths, paragraphs }) {
  let h = 7;
  for (const width of widths) {
    const lines = paragraphs.flatMap((paragraph) => formatParagraph(width, wordsOf(paragraph)));
    const costs = paragraphs.map((paragraph) => leastRaggedness(width, wordsOf(paragraph)));
    for (let i = 0; i < lines.length; i += 10) h = hashText(h, lines[i]);
    for (const line of lines) h = mix(h, line.length);
    h = costs.reduce(mix, h);
  }
  return h;
}
