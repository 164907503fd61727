// List (Takl): the Takeuchi function on numbers written as linked lists, comparing lengths by walking both lists.
function makeList(n) {
  let list = null;
  for (let value = 1; value <= n; value++) list = { value, next: list };
  return list;
}

function isShorter(a, b) {
  while (b) {
    if (!a) return true;
    a = a.next;
    b = b.next;
  }
  return false;
}

function tail(x, y, z) {
  return isShorter(y, x) ? tail(tail(x.next, y, z), tail(y.next, z, x), tail(z.next, x, y)) : z;
}

export function run({ triples }) {
  let h = 7;
  for (const [x, y, z] of triples) {
    const values = [];
    for (let list = tail(makeList(x), makeList(y), makeList(z)); list; list = list.next) values.push(list.value);
    h = values.reduce((h, value) => (h * 31 + value) % 1000000007, h + values.length);
  }
  return h;
}
