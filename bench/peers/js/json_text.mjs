// A JSON reader and writer written in the language itself: character tests, recursive descent, strings put together.
const escapes = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };
const unescapes = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t" };
const numberPattern = /[-+.eE0-9]+/y;
const specialPattern = /["\\]/g;

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  skipSpace() {
    while (" \n\t\r".includes(this.text.charAt(this.at)) && this.at < this.text.length) this.at++;
  }

  string() {
    const { text } = this, parts = [];
    let from = this.at + 1;
    while (true) {
      specialPattern.lastIndex = from;
      const i = specialPattern.exec(text).index;
      parts.push(text.slice(from, i));
      if (text[i] === '"') {
        this.at = i + 1;
        return parts.join("");
      }
      const c = text[i + 1];
      if (c === "u") {
        parts.push(String.fromCharCode(parseInt(text.slice(i + 2, i + 6), 16)));
        from = i + 6;
      } else {
        parts.push(escapes[c] ?? c);
        from = i + 2;
      }
    }
  }

  number() {
    numberPattern.lastIndex = this.at;
    const [text] = numberPattern.exec(this.text);
    this.at += text.length;
    return Number(text);
  }

  /** Past the space, and a comma with the space behind it. */
  nextItem() {
    this.skipSpace();
    if (this.text[this.at] !== ",") return;
    this.at++;
    this.skipSpace();
  }

  array() {
    const items = [];
    this.at++;
    this.skipSpace();
    while (this.text[this.at] !== "]") {
      items.push(this.value());
      this.nextItem();
    }
    this.at++;
    return items;
  }

  object() {
    const fields = {};
    this.at++;
    this.skipSpace();
    while (this.text[this.at] !== "}") {
      const key = this.string();
      this.skipSpace();
      this.at++;
      fields[key] = this.value();
      this.nextItem();
    }
    this.at++;
    return fields;
  }

  word(size, value) {
    this.at += size;
    return value;
  }

  value() {
    this.skipSpace();
    switch (this.text[this.at]) {
      case "{": return this.object();
      case "[": return this.array();
      case '"': return this.string();
      case "t": return this.word(4, true);
      case "f": return this.word(5, false);
      case "n": return this.word(4, null);
      default: return this.number();
    }
  }
}

const writeString = (text) => `"${text.replace(/["\\\n\t]/g, (c) => unescapes[c])}"`;

function writeValue(value) {
  if (typeof value === "string") return writeString(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(writeValue).join(",")}]`;
  return `{${Object.keys(value).sort().map((key) => `${writeString(key)}:${writeValue(value[key])}`).join(",")}}`;
}

function countValues(value) {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((n, item) => n + countValues(item), 1);
}

export function run(data) {
  let text = data.text, values = 0;
  for (let round = 0; round < data.rounds; round++) {
    const value = new Reader(text).value();
    values += countValues(value);
    text = writeValue(value);
  }
  let h = values;
  for (let i = 0; i < text.length; i++) h = (h * 31 + text.charCodeAt(i)) % 1000000007;
  return h;
}
