// Days of a time zone, as "2025-01-31". The service takes half-open ranges: `to` is the first day
// that is not part of one.

export function todayIn(zone, now = new Date()) {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit",
  }).formatToParts(now);
  const part = (type) => parts.find((p) => p.type === type).value;
  return `${part("year")}-${part("month")}-${part("day")}`;
}

const toDate = (day) => new Date(`${day}T00:00:00Z`);
const toDay = (date) => date.toISOString().slice(0, 10);

export const isDay = (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(toDate(text).getTime());

export function addDays(day, n) {
  const date = toDate(day);
  date.setUTCDate(date.getUTCDate() + n);
  return toDay(date);
}

// The first day of the month that is `n` months after the day's.
function monthStart(day, n) {
  const date = toDate(day);
  return toDay(new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + n, 1)));
}

const monthInQuarter = (day) => toDate(day).getUTCMonth() % 3;
const monthInYear = (day) => toDate(day).getUTCMonth();

function whole(day, back, months) {
  const first = monthStart(day, back);
  return { first, last: addDays(monthStart(day, back + months), -1) };
}

export const PRESETS = [
  { name: "This month", of: (day) => whole(day, 0, 1) },
  { name: "Last month", of: (day) => whole(day, -1, 1) },
  { name: "This quarter", of: (day) => whole(day, -monthInQuarter(day), 3) },
  { name: "Last quarter", of: (day) => whole(day, -monthInQuarter(day) - 3, 3) },
  { name: "This year", of: (day) => whole(day, -monthInYear(day), 12) },
  { name: "Last year", of: (day) => whole(day, -monthInYear(day) - 12, 12) },
];

export const toPeriod = ({ first, last }) => ({ from: first, to: addDays(last, 1) });

const long = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short", year: "numeric" });
export const dayText = (day) => long.format(toDate(day));
export const spanText = (first, last) => (first === last ? dayText(first) : `${dayText(first)} – ${dayText(last)}`);

// The days of a range of instants, both included.
export function spanOf(from, to, zone) {
  return spanText(todayIn(zone, new Date(from)), todayIn(zone, new Date(new Date(to).getTime() - 1)));
}

export const timeText = (instant) =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" }).format(new Date(instant));
