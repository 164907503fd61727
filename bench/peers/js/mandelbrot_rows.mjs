// Mandelbrot set by rows: floating-point iteration per point, eight points packed into one byte.
function isInside(cr, ci) {
  let zr = 0.0, zi = 0.0;
  for (let i = 0; i < 50; i++) {
    if (zr * zr + zi * zi > 4.0) return false;
    const next = zr * zr - zi * zi + cr;
    zi = 2.0 * zr * zi + ci;
    zr = next;
  }
  return zr * zr + zi * zi <= 4.0;
}

function rowBytes(n, y) {
  const bytes = [], ci = (2.0 * y) / n - 1.0;
  let byte = 0;
  for (let x = 0; x < n; x++) {
    byte = byte * 2 + (isInside((2.0 * x) / n - 1.5, ci) ? 1 : 0);
    if (x % 8 === 7) {
      bytes.push(byte);
      byte = 0;
    }
  }
  return bytes;
}

export function run({ n }) {
  let h = 7;
  for (let y = 0; y < n; y++) {
    for (const byte of rowBytes(n, y)) h = (h * 31 + byte) % 1000000007;
  }
  return h;
}
