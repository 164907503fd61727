// Permute: all permutations of an array by recursive swapping and swapping back, counting the calls.
function swap(items, i, j) {
  const kept = items[i];
  items[i] = items[j];
  items[j] = kept;
}

function permute(state, n) {
  state.calls++;
  if (n === 0) {
    state.sum = (state.sum * 31 + state.items[0]) % 1000000007;
    return;
  }
  permute(state, n - 1);
  for (let i = n - 1; i >= 0; i--) {
    swap(state.items, n - 1, i);
    permute(state, n - 1);
    swap(state.items, n - 1, i);
  }
}

export function run({ n }) {
  const state = { items: Array.from({ length: n }, (_, i) => i), calls: 0, sum: 7 };
  permute(state, n);
  return (state.calls * 1000 + state.sum + state.items[n - 1]) % 1000000007;
}
