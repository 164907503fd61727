// Calendar arithmetic over ISO date texts by whole numbers: days between, working days, weeks, due dates, weekday histograms.
const div = (a, b) => Math.floor(a / b);
const pad = (n) => String(n).padStart(2, "0");

function parseDate(text) {
  const [, y, m, d] = /^(\d+)-(\d+)-(\d+)$/.exec(text);
  return [Number(y), Number(m), Number(d)];
}

const formatDate = ([y, m, d]) => `${y}-${pad(m)}-${pad(d)}`;
const isLeap = (y) => y % 4 === 0 && (y % 100 !== 0 || y % 400 === 0);
const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const daysInMonth = (y, m) => (m === 2 && isLeap(y) ? 29 : monthDays[m - 1]);

/** Days since 1970-01-01; years are counted from March so that the leap day comes last. */
function dayNumber([year, m, d]) {
  const y = m < 3 ? year - 1 : year;
  const era = div(y, 400), yoe = y % 400;
  const doy = div(153 * ((m + 9) % 12) + 2, 5) + d - 1;
  return era * 146097 + 365 * yoe + div(yoe, 4) - div(yoe, 100) + doy - 719468;
}

function dateOf(n) {
  const z = n + 719468;
  const era = div(z, 146097), doe = z % 146097;
  const yoe = div(doe - div(doe, 1460) + div(doe, 36524) - div(doe, 146096), 365);
  const doy = doe - (365 * yoe + div(yoe, 4) - div(yoe, 100));
  const mp = div(5 * doy + 2, 153);
  const m = mp < 10 ? mp + 3 : mp - 9;
  return [yoe + 400 * era + (m < 3 ? 1 : 0), m, doy - div(153 * mp + 2, 5) + 1];
}

/** Monday is 0. */
const weekday = (n) => (n + 3) % 7;

/** The week of the year as one number: 202614 is week 14 of 2026. */
function isoWeek(n) {
  const thursday = n + 3 - weekday(n);
  const [year] = dateOf(thursday);
  return 100 * year + div(thursday - dayNumber([year, 1, 1]), 7) + 1;
}

function addMonths([y, m, d], months) {
  const total = 12 * y + m - 1 + months;
  const year = div(total, 12), month = (total % 12) + 1;
  return [year, month, Math.min(d, daysInMonth(year, month))];
}

function workingDays(from, to) {
  const weeks = div(to - from, 7);
  let count = 5 * weeks;
  for (let n = from + 7 * weeks; n < to; n++) {
    if (weekday(n) < 5) count++;
  }
  return count;
}

function nextWorkingDay(n) {
  while (weekday(n) >= 5) n++;
  return n;
}

const mix = (h, x) => (h * 31 + x) % 1000000007;
const bump = (counts, key) => counts.set(key, (counts.get(key) ?? 0) + 1);
const byKey = (counts) => [...counts].sort((a, b) => a[0] - b[0]);

export function run({ spans }) {
  const weekdays = new Map(), weeks = new Map(), dates = new Map();
  let days = 0, working = 0;
  for (const span of spans) {
    const start = parseDate(span.start);
    const from = dayNumber(start), to = dayNumber(parseDate(span.end));
    days += to - from;
    working += workingDays(from, to);
    bump(weekdays, weekday(from));
    bump(weeks, isoWeek(from));
    bump(dates, formatDate(dateOf(nextWorkingDay(from + span.terms))));
    bump(dates, formatDate(addMonths(start, span.terms % 25)));
  }
  let h = mix(days, working);
  for (const [day, count] of byKey(weekdays)) h = mix(mix(h, day), count);
  for (const [week, count] of byKey(weeks)) h = mix(mix(h, week), count);
  for (const date of [...dates.keys()].sort()) h = mix(h, dates.get(date) * dayNumber(parseDate(date)));
  return h;
}
