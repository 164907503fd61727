// A least-recently-used cache under a stream of gets, puts and deletes: a map of entries in a doubly linked list.
class Cache {
  constructor(capacity) {
    this.entries = new Map();
    this.ends = { key: null, value: null, older: null, newer: null };
    this.ends.older = this.ends.newer = this.ends;
    this.capacity = capacity;
    this.evicted = 0;
  }

  get size() {
    return this.entries.size;
  }

  get(key) {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.#unlink(entry);
    this.#linkNewest(entry);
    return entry.value;
  }

  put(key, value) {
    const old = this.entries.get(key);
    if (old) {
      old.value = value;
      this.#unlink(old);
      this.#linkNewest(old);
      return;
    }
    const entry = { key, value, older: null, newer: null };
    this.entries.set(key, entry);
    this.#linkNewest(entry);
    if (this.entries.size > this.capacity) {
      this.forget(this.ends.newer.key);
      this.evicted++;
    }
  }

  forget(key) {
    const entry = this.entries.get(key);
    if (!entry) return;
    this.#unlink(entry);
    this.entries.delete(key);
  }

  *oldestFirst() {
    for (let entry = this.ends.newer; entry !== this.ends; entry = entry.newer) yield entry;
  }

  #unlink(entry) {
    entry.older.newer = entry.newer;
    entry.newer.older = entry.older;
  }

  #linkNewest(entry) {
    const { ends } = this;
    entry.older = ends.older;
    entry.newer = ends;
    ends.older.newer = entry;
    ends.older = entry;
  }
}

const mix = (h, x) => (h * 31 + x) % 1000000007;

export function run({ capacity, ops }) {
  const cache = new Cache(capacity);
  let h = 7, hits = 0, misses = 0;
  for (const { op, key, value } of ops) {
    if (op === "get") {
      const found = cache.get(key);
      if (found === undefined) {
        misses++;
      } else {
        hits++;
        h = mix(h, found);
      }
    } else if (op === "put") {
      cache.put(key, value);
    } else {
      cache.forget(key);
    }
  }
  h = [hits, misses, cache.evicted, cache.size].reduce(mix, h);
  for (const { value } of cache.oldestFirst()) h = mix(h, value);
  return h;
}
