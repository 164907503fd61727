// Scanning server log lines with a pattern: counts by hour and level, failures and slow times by route, slowest requests.
const linePattern =
  /^(\d{4}-\d{2}-\d{2})T(\d\d):\d\d:\d\dZ (\w+) \[(\w+)\] (\w+) (\S+) status=(\d+) dur=(\d+)ms$/;

function parseLine(line, index) {
  const match = linePattern.exec(line);
  if (!match) return null;
  const [, date, hour, level, host, method, path, status, duration] = match;
  return {
    index,
    date,
    hour,
    level,
    host,
    route: `${method} ${path.replace(/\/\d+/g, "/:id")}`,
    status: Number(status),
    duration: Number(duration),
  };
}

function countBy(keyOf, entries) {
  const counts = new Map();
  for (const entry of entries) {
    const key = keyOf(entry);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function groupBy(keyOf, entries) {
  const groups = new Map();
  for (const entry of entries) {
    const key = keyOf(entry), group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return groups;
}

function routeLine(route, requests) {
  const times = requests.map((request) => request.duration).sort((a, b) => a - b), n = times.length;
  const failed = requests.filter((request) => request.status >= 500).length;
  const mean = Math.floor(times.reduce((sum, time) => sum + time, 0) / n);
  return `${route} n=${n} failed=${failed} mean=${mean} p95=${times[Math.floor((95 * (n - 1)) / 100)]}`;
}

const sortedEntries = (map) => [...map.keys()].sort().map((key) => [key, map.get(key)]);

function hashText(h, text) {
  for (let i = 0; i < text.length; i++) h = (h * 31 + text.charCodeAt(i)) % 1000000007;
  return h;
}

export function run({ lines, top }) {
  const entries = lines.map(parseLine).filter((entry) => entry !== null);
  const levels = countBy((entry) => `${entry.hour} ${entry.level}`, entries);
  const routes = groupBy((entry) => entry.route, entries);
  const hosts = countBy((entry) => entry.host, entries.filter((entry) => entry.level === "ERROR"));
  const slowest = [...entries].sort((a, b) => b.duration - a.duration || a.index - b.index).slice(0, top);
  const report = [
    `skipped ${lines.length - entries.length}`,
    ...sortedEntries(levels).map(([key, count]) => `${key} ${count}`),
    ...sortedEntries(routes).map(([route, requests]) => routeLine(route, requests)),
    ...sortedEntries(hosts).map(([host, count]) => `errors on ${host} ${count}`),
    ...slowest.map((entry) => `${entry.index} ${entry.date} ${entry.route} ${entry.duration}`),
  ];
  return report.reduce(hashText, 7);
}
