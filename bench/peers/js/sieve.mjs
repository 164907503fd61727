// Sieve of Eratosthenes over an array of flags, counting and summing the primes.
function sieve(n) {
  const flags = new Array(n + 1).fill(true);
  flags[0] = flags[1] = false;
  for (let p = 2; p * p <= n; p++) {
    if (!flags[p]) continue;
    for (let i = p * p; i <= n; i += p) flags[i] = false;
  }
  return flags;
}

export function run({ n }) {
  let count = 0, sum = 0;
  sieve(n).forEach((isPrime, i) => {
    if (isPrime) {
      count++;
      sum += i;
    }
  });
  return (31 * count + sum) % 1000000007;
}
