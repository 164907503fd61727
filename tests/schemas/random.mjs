// Random signatures and JSON values, the same for the same seed.

/** A generator of numbers in [0, 1). */
export function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const NAMES = ["id", "name", "tags", "a_b", "_secret", "X9", "rows", "n"];
const TEXTS = ["", "abc", "two words", "open", "done?", "12", "true", "naïve", "a-b", "x".repeat(30)];
const TIMES = ["2026-05-03T09:14:00Z", "2025-12-31T23:30:00-05:30", "2024-02-29T00:00:00.125Z", "2026-05-03T09:14:00", "2026-05-03",
  "2023-02-29T00:00:00Z", "2026-05-03T25:00:00Z", "noon"];

export class Random {
  constructor(seed) {
    this.next = generator(seed);
  }
  below(n) {
    return Math.floor(this.next() * n);
  }
  of(items) {
    return items[this.below(items.length)];
  }

  // ---- Types: {text, make}: the signature's text, and a function that makes a value which fits

  scalar() {
    const low = this.below(20) - 10;
    const high = low + this.below(20);
    const choices = [this.of(["open", "done"]), this.below(5), "other", true, 2.5].slice(0, 1 + this.below(5));
    const words = choices.map((c) => (typeof c === "string" ? c : String(c))).join(" ");
    return this.of([
      {text: ":string", make: () => this.of(TEXTS)},
      {text: ":int", make: () => this.below(2000) - 1000},
      {text: `:int[${low}..${high}]`, make: () => low + this.below(high - low + 1)},
      {text: `:int[>${low} !=${high}]`, make: () => high + 1},
      {text: ":float", make: () => this.of([this.below(100), this.below(100) / 8])},
      {text: `:float[>=${low}.5 <${high}.75]`, make: () => low + 0.5},
      {text: ":bool", make: () => this.of([true, false])},
      {text: ":keyword", make: () => this.of(["open", "done?", "a-b", "12"])},
      {text: ":datetime", make: () => this.of(TIMES.slice(0, 3))},
      {text: ":any", make: () => this.value(1)},
      {text: ":map", make: () => this.of([{}, {k: 1}])},
      {text: `:enum[${words}]`, make: () => this.of(choices)},
    ]);
  }
  list(depth) {
    const element = this.type(depth - 1);
    return {text: `[${element.text}]`, make: () => Array.from({length: this.below(4)}, element.make)};
  }
  record(depth) {
    const names = NAMES.filter(() => this.next() < 0.35);
    const fields = names.map((name) => [name, this.type(depth - 1)]);
    const make = () => {
      const map = {};
      for (const [name, type] of fields) if (!(type.optional && this.next() < 0.3)) map[name] = type.make();
      return map;
    };
    return {text: `{${fields.map(([name, type]) => `${name} ${type.text}`).join(", ")}}`, make};
  }
  union(depth) {
    const items = Array.from({length: 2 + this.below(2)}, () => this.bare(depth - 1));
    return {text: items.map((item) => item.text).join("|"), make: () => this.of(items).make()};
  }
  /** A type that is neither optional nor a union. */
  bare(depth) {
    const kind = depth <= 0 ? 0 : this.below(6);
    return kind < 2 ? this.scalar() : kind < 4 ? this.record(depth) : kind === 4 ? this.list(depth) : this.scalar();
  }
  type(depth) {
    const type = depth > 0 && this.next() < 0.15 ? this.union(depth) : this.bare(depth);
    if (this.next() >= 0.2) return type;
    return {text: `${type.text}?`, optional: true, make: () => (this.next() < 0.3 ? null : type.make())};
  }

  // ---- Values

  value(depth) {
    const kind = this.below(depth > 0 ? 8 : 6);
    if (kind === 0) return null;
    if (kind === 1) return this.of([true, false]);
    if (kind === 2) return this.below(40) - 20;
    if (kind === 3) return this.below(400) / 16 - 10.03125;
    if (kind === 4) return this.of(TEXTS);
    if (kind === 5) return this.of(TIMES);
    if (kind === 6) return Array.from({length: this.below(3)}, () => this.value(depth - 1));
    const map = {};
    for (let i = this.below(4); i > 0; --i) map[this.of(NAMES)] = this.value(depth - 1);
    return map;
  }
  /** `value` with something in it replaced, taken away or added. */
  spoil(value) {
    if (Array.isArray(value) && value.length > 0 && this.next() < 0.8) {
      const copy = [...value];
      const at = this.below(copy.length);
      copy[at] = this.spoil(copy[at]);
      return copy;
    }
    if (value && typeof value === "object" && !Array.isArray(value) && this.next() < 0.8) {
      const copy = {...value};
      const keys = Object.keys(copy);
      const kind = this.below(4);
      if (keys.length === 0 || kind === 0) copy[this.of([...NAMES, "extra"])] = this.value(1);
      else if (kind === 1) delete copy[this.of(keys)];
      else {
        const key = this.of(keys);
        copy[key] = this.spoil(copy[key]);
      }
      return copy;
    }
    return this.value(1);
  }
}
