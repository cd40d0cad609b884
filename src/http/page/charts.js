// Charts of the report as SVG. Each says in words what it shows; the figures are in tables.

import { make, makeSvg } from "./dom.js";
import { count } from "./words.js";

const WIDTH = 640;
const HEIGHT = 220;
const LEFT = 74;
const BOTTOM = 26;
const TOP = 10;

// A round step for about four lines.
function stepFor(span) {
  const rough = span / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 2.5, 5, 10].find((m) => m * power >= rough) * power;
}

const compact = new Intl.NumberFormat("en-GB", { notation: "compact", maximumFractionDigits: 1 });

function figure(title, words, svg, table) {
  return make("figure", {}, make("figcaption", {}, title), svg,
    make("details", {}, make("summary", {}, `Figures: ${title}`), make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Figures: ${title}` }, table)));
}

function frame(words, height = HEIGHT) {
  return makeSvg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": words });
}

export function table(headings, lines) {
  const cell = (tag, text, i, more) => make(tag, { ...(i > 0 ? { class: "number" } : {}), ...more }, text);
  return make("table", {},
    make("thead", {}, make("tr", {}, ...headings.map((h, i) => cell("th", h, i, { scope: "col" })))),
    make("tbody", {}, ...lines.map((line) => make("tr", {}, ...line.map((text, i) => cell("td", text, i))))));
}

// Bars of amounts over names. `points`: {name, value, text}.
export function bars(title, points, headings) {
  const values = points.map((p) => p.value);
  const top = Math.max(0, ...values);
  const bottom = Math.min(0, ...values);
  const step = stepFor(top - bottom);
  const high = Math.ceil(top / step) * step || step;
  const low = Math.floor(bottom / step) * step;
  const y = (v) => TOP + ((high - v) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const slot = (WIDTH - LEFT) / points.length;
  const largest = points.reduce((a, b) => (b.value > a.value ? b : a), points[0]);
  const words = `${title}: ${points.length} bars from ${points[0].name} to ${points.at(-1).name}; the largest is ${largest.name} with ${largest.text}.`;
  const svg = frame(words);
  for (let v = low; v <= high + step / 2; v += step) {
    svg.append(makeSvg("line", { class: Math.abs(v) < step / 2 ? "zero" : "grid", x1: LEFT, x2: WIDTH, y1: y(v), y2: y(v) }),
      makeSvg("text", { x: LEFT - 8, y: y(v) + 4, "text-anchor": "end" }, compact.format(v)));
  }
  // As many names as there is room for.
  const longest = Math.max(...points.map((p) => (p.short ?? p.name).length));
  const every = Math.max(1, Math.ceil((longest * 6.5 + 8) / slot));
  points.forEach((p, i) => {
    const wide = Math.min(slot * 0.76, 56);
    const middle = LEFT + (i + 0.5) * slot;
    const rect = makeSvg("rect", { class: p.value < 0 ? "bar below" : "bar", x: middle - wide / 2, width: wide,
      y: Math.min(y(p.value), y(0)), height: Math.abs(y(p.value) - y(0)) },
    makeSvg("title", {}, `${p.name}: ${p.text}`));
    svg.append(rect);
    if (i % every === 0) {
      svg.append(makeSvg("text", { x: middle, y: HEIGHT - 8, "text-anchor": "middle" }, p.short ?? p.name));
    }
  });
  return figure(title, words, svg, table(headings, points.map((p) => [p.name, p.text])));
}

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

// Orders by weekday and hour, the darker the more.
export function week(title, hours) {
  const most = Math.max(1, ...hours.map((h) => h.orders));
  const height = 7 * 24 + 30;
  const wide = (WIDTH - LEFT) / 24;
  const busiest = hours.reduce((a, b) => (b.orders > a.orders ? b : a), hours[0]);
  const words = `${title}: the busiest hour is ${DAYS[busiest.weekday - 1]} from ${busiest.hour} o'clock with ${count(busiest.orders)} orders.`;
  const svg = frame(words, height);
  DAYS.forEach((day, i) => svg.append(makeSvg("text", { x: LEFT - 8, y: i * 24 + 16, "text-anchor": "end" }, day.slice(0, 3))));
  for (let hour = 0; hour < 24; hour += 3)
    svg.append(makeSvg("text", { x: LEFT + hour * wide + wide / 2, y: height - 10, "text-anchor": "middle" }, String(hour)));
  for (const h of hours) {
    svg.append(makeSvg("rect", { class: "cell", x: LEFT + h.hour * wide + 1, y: (h.weekday - 1) * 24 + 1, width: wide - 2,
      height: 22, rx: 3, opacity: (0.08 + 0.92 * (h.orders / most)).toFixed(3) },
    makeSvg("title", {}, `${DAYS[h.weekday - 1]}, ${h.hour} o'clock: ${count(h.orders)} orders`)));
  }
  const lines = DAYS.map((day, i) => [day, count(hours.filter((h) => h.weekday === i + 1).reduce((n, h) => n + h.orders, 0))]);
  return figure(title, words, svg, table(["Weekday", "Orders"], lines));
}
