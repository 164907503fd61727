// Near duplicates in contact records: normalised e-mail and name keys, clusters joined by shared keys, merged records.
function emailKey(email) {
  const [, user, domain] = /^([^@]*)@(.*)$/.exec(email.trim().toLowerCase());
  return `e:${/^[^+]*/.exec(user)[0].replaceAll(".", "")}@${domain}`;
}

function nameKey({ name, phone }) {
  const words = name.toLowerCase().replace(/[^a-z ]/g, "").match(/[^ ]+/g) ?? [];
  return `n:${words.sort().join(" ")}/${phone.replace(/[^0-9]/g, "").slice(-7)}`;
}

function findRoot(parents, id) {
  let root = id;
  while (parents.has(root)) root = parents.get(root);
  return root;
}

const longer = (a, b) => (b.length > a.length ? b : a);
const mix = (h, x) => (h * 31 + x) % 1000000007;

export function run({ records }) {
  // owners maps each key to the first record that had it; parents maps a record to an earlier one of its cluster.
  const owners = new Map(), parents = new Map();
  for (const record of records) {
    const keys = [emailKey(record.email), nameKey(record)];
    const roots = keys.filter((key) => owners.has(key)).map((key) => findRoot(parents, owners.get(key)));
    const root = roots.length > 0 ? Math.min(...roots) : record.id;
    for (const other of [...roots, record.id]) {
      if (other !== root) parents.set(other, root);
    }
    for (const key of keys) {
      if (!owners.has(key)) owners.set(key, record.id);
    }
  }

  const merged = new Map();
  for (const record of records) {
    const root = findRoot(parents, record.id), m = merged.get(root);
    if (m) {
      m.size++;
      m.id = Math.min(m.id, record.id);
      m.name = longer(m.name, record.name);
      m.email = longer(m.email, record.email);
      m.phone = longer(m.phone, record.phone);
      m.spent += record.spent;
    } else {
      merged.set(root, { ...record, size: 1 });
    }
  }
  let h = merged.size;
  for (const [root, m] of [...merged].sort((a, b) => a[0] - b[0])) {
    h = [root, m.size, m.id, m.name.length, m.email.length, m.phone.length, m.spent].reduce(mix, h);
  }
  return h;
}
