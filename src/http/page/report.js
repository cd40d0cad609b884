// The quarterly report on the page, and as PDF.

import * as api from "./api.js";
import { bars, table, week } from "./charts.js";
import { dayText, spanText, addDays } from "./dates.js";
import { byId, make, say } from "./dom.js";
import { count } from "./words.js";

const compact = new Intl.NumberFormat("en-GB", { notation: "compact", maximumFractionDigits: 1 });
let shown = null; // what was asked for

const shortDay = (day) =>
  new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short" }).format(new Date(`${day}T00:00:00Z`));

const monthText = (month) =>
  new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", month: "short", year: "numeric" }).format(new Date(`${month}-01T00:00:00Z`));

function bandText(band) {
  if (band.from === null) return `Under ${band.to.formatted}`;
  if (band.to === null) return `${band.from.formatted} and more`;
  return `${band.from.formatted} to ${band.to.formatted}`;
}

function change(c) {
  const percent = c.change.net_percent;
  const share = percent === null ? "" : ` (${Number(percent) > 0 ? "+" : ""}${percent} %)`;
  return `${c.change.net.formatted}${share}`;
}

function totals(c) {
  return table(["Figure", "This period"], [
    ["Orders", count(c.orders)], ["Gross", c.gross.formatted], ["Refunds", c.refunds.formatted], ["Net", c.net.formatted],
    ["Average order", c.average?.formatted ?? "–"], ["Median order", c.median?.formatted ?? "–"],
    ["Largest order", c.largest?.formatted ?? "–"], ["Net in the period before", c.before.net.formatted],
    ["Change of the net", change(c)],
    ["Orders of new customers", count(c.customers.new.orders)],
    ["Orders of returning customers", count(c.customers.returning.orders)],
  ]);
}

const point = (name, value, text, short) => ({ name, value, text, short });

function currency(c) {
  const months = c.months.map((m) => point(monthText(m.month), Number(m.net.raw), m.net.formatted));
  const days = c.days.map((d) => point(dayText(d.day), Number(d.net.raw), d.net.formatted, shortDay(d.day)));
  const bands = c.bands.map((b) => point(bandText(b), b.orders, `${count(b.orders)} orders`, b.from === null ? "<" : compact.format(Number(b.from.raw))));
  const code = c.currency ?? "no currency";
  return make("section", { "aria-label": `In ${code}` }, make("h3", {}, `In ${code}`),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Totals in ${code}` }, totals(c)),
    make("div", { class: "charts" },
      months.length > 0 ? bars(`Net by month, ${code}`, months, ["Month", "Net"]) : null,
      days.length > 0 ? bars(`Net by day, ${code}`, days, ["Day", "Net"]) : null,
      c.hours.length > 0 ? week(`Orders by weekday and hour, ${code}`, c.hours) : null,
      bands.length > 0 ? bars(`Orders by value, ${code}`, bands,["Value", "Orders"]) : null));
}

export async function showReport(item, period) {
  const card = byId("report-card");
  const body = byId("report-body");
  const note = byId("report-note");
  const pdf = byId("report-pdf");
  card.hidden = false;
  pdf.hidden = true;
  body.replaceChildren();
  const span = spanText(period.from, addDays(period.to, -1));
  byId("report-title").textContent = `Report: ${item.title}, ${span}`;
  say(note, "", "The report is being made …");
  card.focus();
  const wanted = { ...period, export: item.name };
  try {
    const report = await api.report(wanted);
    shown = wanted;
    if (report.empty) {
      say(note, "", "There are no orders in this period.");
    } else {
      say(note, "good", `${count(report.orders)} orders. Amounts in different currencies are never added together.`,
        report.left_out.orders > 0 ? `${count(report.left_out.orders)} orders could not be counted: their amount or currency is not usable.` : "");
      body.replaceChildren(...report.currencies.map(currency));
    }
    pdf.hidden = false;
  } catch (e) {
    say(note, "bad", "There is no report.", e.message);
  }
}

export async function savePdf() {
  const button = byId("report-pdf");
  button.disabled = true;
  try {
    const address = URL.createObjectURL(await api.reportPdf(shown));
    const link = make("a", { href: address, download: `${shown.export}-report_${shown.from}_${shown.to}.pdf` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  } catch (e) {
    say(byId("report-note"), "bad", "There is no PDF.", e.message);
  } finally {
    button.disabled = false;
  }
}
