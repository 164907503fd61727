// Spectral norm: power iteration on an infinite matrix computed entry by entry, floating-point vectors.
function entry(i, j) {
  const s = i + j;
  return 1.0 / ((s * (s + 1)) / 2 + i + 1);
}

function timesA(v) {
  return v.map((_, i) => {
    let sum = 0;
    for (let j = 0; j < v.length; j++) sum += entry(i, j) * v[j];
    return sum;
  });
}

function timesATransposed(v) {
  return v.map((_, i) => {
    let sum = 0;
    for (let j = 0; j < v.length; j++) sum += entry(j, i) * v[j];
    return sum;
  });
}

const timesAtA = (v) => timesATransposed(timesA(v));

function dot(u, v) {
  let sum = 0;
  for (let i = 0; i < u.length; i++) sum += u[i] * v[i];
  return sum;
}

export function run({ n }) {
  let u = new Array(n).fill(1.0), v = u;
  for (let i = 0; i < 10; i++) {
    v = timesAtA(u);
    u = timesAtA(v);
  }
  return Math.floor(Math.sqrt(dot(u, v) / dot(v, v)) * 1e9 + 0.5);
}
