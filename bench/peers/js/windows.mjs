// Sliding windows over a number series: moving averages, moving maximum and minimum, crossings, smoothing, greatest fall.
function movingAverage(width, xs) {
  const out = [];
  let sum = 0;
  for (let i = 0; i < xs.length; i++) {
    sum += xs[i];
    if (i >= width) sum -= xs[i - width];
    if (i >= width - 1) out.push(Math.floor(sum / width));
  }
  return out;
}

function moving(choose, width, xs) {
  const out = [];
  for (let i = 0; i + width <= xs.length; i++) {
    let best = xs[i];
    for (let j = i + 1; j < i + width; j++) best = choose(best, xs[j]);
    out.push(best);
  }
  return out;
}

/** shift: how many values of xs come before the first of ys. */
function crossings(xs, ys, shift) {
  let count = 0, before;
  for (let i = 0; i < ys.length; i++) {
    const now = xs[i + shift] > ys[i];
    if (i > 0 && now !== before) count++;
    before = now;
  }
  return count;
}

/** Exponential smoothing in thousandths. */
function smooth(weight, xs) {
  let level = 1000 * xs[0];
  return xs.map((x) => (level = Math.floor((weight * 1000 * x + (100 - weight) * level) / 100)));
}

function greatestFall(xs) {
  let high = xs[0], fall = 0;
  for (const x of xs) {
    high = Math.max(high, x);
    fall = Math.max(fall, high - x);
  }
  return fall;
}

const mix = (h, x) => (h * 31 + x) % 1000000007;

export function run(data) {
  const xs = data.series;
  const short = movingAverage(data.short, xs), long = movingAverage(data.long, xs);
  const high = moving(Math.max, data.width, xs), low = moving(Math.min, data.width, xs);
  let h = long.reduce(mix, short.reduce(mix, 7));
  for (let i = 0; i < high.length; i++) h = mix(h, high[i] - low[i]);
  h = mix(h, crossings(short, long, data.long - data.short));
  h = smooth(20, xs).reduce(mix, h);
  return mix(h, greatestFall(xs));
}
