// Matrix multiplication of arrays of rows, A times B times the transpose of A, whole numbers.
function makeMatrix(n, a, b) {
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => ((a * i + b * j + i * j) % 19) - 9));
}

const transpose = (m) => m[0].map((_, j) => m.map((row) => row[j]));

function dot(row, column) {
  let sum = 0;
  for (let k = 0; k < row.length; k++) sum += row[k] * column[k];
  return sum;
}

function multiply(a, b) {
  const columns = transpose(b);
  return a.map((row) => columns.map((column) => dot(row, column)));
}

/** The remainder is never negative, unlike that of %. */
function mix(h, x) {
  const rest = (h * 31 + x) % 1000000007;
  return rest < 0 ? rest + 1000000007 : rest;
}

export function run({ n }) {
  const a = makeMatrix(n, 3, 7), b = makeMatrix(n, 5, 2);
  let h = 7;
  for (const row of multiply(multiply(a, b), transpose(a))) h = row.reduce(mix, h);
  return h;
}
