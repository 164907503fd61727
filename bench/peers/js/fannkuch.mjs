// Fannkuch: all permutations of n numbers in rotation order, counting the prefix reversals each needs.
function countFlips(perm, scratch) {
  for (let i = 0; i < perm.length; i++) scratch[i] = perm[i];
  let flips = 0;
  while (scratch[0] !== 0) {
    for (let i = 0, j = scratch[0]; i < j; i++, j--) {
      const kept = scratch[i];
      scratch[i] = scratch[j];
      scratch[j] = kept;
    }
    flips++;
  }
  return flips;
}

/** Steps perm to the next permutation; false when all have been seen. */
function advance(perm, turns) {
  for (let i = 1; i < perm.length; i++) {
    const first = perm[0];
    for (let j = 0; j < i; j++) perm[j] = perm[j + 1];
    perm[i] = first;
    if (turns[i] < i) {
      turns[i]++;
      return true;
    }
    turns[i] = 0;
  }
  return false;
}

export function run({ n }) {
  const perm = Array.from({ length: n }, (_, i) => i), turns = perm.map(() => 0), scratch = [...perm];
  let checksum = 0, most = 0, even = true;
  do {
    const flips = countFlips(perm, scratch);
    checksum += even ? flips : -flips;
    if (flips > most) most = flips;
    even = !even;
  } while (advance(perm, turns));
  return checksum * 100 + most;
}
