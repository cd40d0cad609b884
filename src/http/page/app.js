// The page for staff: what one may export, for which period, and how it goes.

import * as api from "./api.js";
import { PRESETS, isDay, spanText, toPeriod, todayIn } from "./dates.js";
import { byId, make, say } from "./dom.js";
import { download } from "./download.js";
import * as jobs from "./jobs.js";
import { refreshRecent } from "./recent.js";
import { savePdf, showReport } from "./report.js";
import { count, rows, size } from "./words.js";

const RETRY = 4000; // after an estimate that could not be had

let items = [];
let expected = null; // of the latest estimate
let asked = 0;
let debounce = null;

const chosen = () => items.find((item) => item.name === byId("export").value);
const days = () => ({ first: byId("first").value, last: byId("last").value });

function options() {
  const value = (name) => document.querySelector(`input[name="${name}"]:checked`)?.value;
  return { excel: value("form") === "excel", raw: value("values") === "raw" };
}

// What is wrong with the two days, in words; empty if nothing is.
function dayFault() {
  const { first, last } = days();
  if (!isDay(first) || !isDay(last)) return "Choose the first and the last day.";
  if (last < first) return "The last day has to be the same as the first or later.";
  return "";
}

function markPreset() {
  const { first, last } = days();
  const today = todayIn(chosen().time_zone);
  for (const button of byId("presets").children) {
    const preset = PRESETS.find((p) => p.name === button.textContent).of(today);
    button.setAttribute("aria-pressed", String(preset.first === first && preset.last === last));
  }
}

function choosePreset(preset) {
  const { first, last } = preset.of(todayIn(chosen().time_zone));
  byId("first").value = first;
  byId("last").value = last;
  changed();
}

function allow({ direct, background }) {
  byId("download").disabled = !direct;
  byId("background").disabled = !background;
  byId("background").hidden = !chosen().jobs;
  byId("mail-row").hidden = !chosen().jobs;
}

function showEstimate(found) {
  const weight = found.rows > 0 && found.bytes > 0 ? `, about ${size(found.bytes)}` : "";
  const amount = `${found.exact ? "" : "About "}${rows(found.rows)}${weight}`;
  const { first, last } = days();
  const stream = found.delivery === "stream";
  const more = stream ? "" : chosen().jobs ? "This is too much for one download: have it prepared in the background."
    : "This is too much for one download: choose a shorter period.";
  const nothing = found.rows === 0 && found.exact ? "There is nothing in this period: the file would have its headings only." : "";
  say(byId("expected"), "", `${spanText(first, last)}: ${amount}`, more || nothing);
  allow({ direct: stream, background: true });
}

async function estimate() {
  const mine = ++asked;
  expected = null;
  const fault = dayFault();
  byId("report").disabled = fault !== "";
  if (fault) {
    say(byId("expected"), "bad", fault);
    allow({ direct: false, background: false });
    return;
  }
  // How much there is may take long to be said; nobody has to wait for it.
  allow({ direct: true, background: true });
  try {
    const found = await api.estimate(chosen(), toPeriod(days()));
    if (mine !== asked) return;
    expected = found;
    showEstimate(found);
  } catch (e) {
    if (mine !== asked) return;
    const refused = e.status >= 400 && e.status < 500;
    say(byId("expected"), refused ? "bad" : "", refused ? e.message : "How much there is can't be said at the moment.",
      refused ? "" : e.message);
    allow({ direct: !refused, background: !refused });
    if (!refused) debounce = setTimeout(estimate, RETRY);
  }
}

// Whatever is still being found out is about what was chosen before.
function changed() {
  ++asked;
  expected = null;
  markPreset();
  clearTimeout(debounce);
  debounce = setTimeout(estimate, 250);
}

function chooseExport() {
  const item = chosen();
  const zone = item.time_zone.replaceAll("_", " ");
  byId("zone").textContent = `Days begin and end at midnight in ${zone}. At most ${count(item.max_range_days)} days at once.`;
  byId("values").hidden = item.raw === false;
  if (item.raw === false) document.querySelector('input[name="values"][value="formatted"]').checked = true;
  byId("report").hidden = item.report !== true;
  changed();
}

async function begin(event) {
  event.preventDefault();
  const button = byId("download");
  if (dayFault() || button.disabled) return;
  button.disabled = true;
  await download(chosen(), toPeriod(days()), options(), expected?.exact ? expected.rows : 0);
  button.disabled = false;
  refreshRecent(items);
}

async function prepare() {
  const { excel, raw } = options();
  const mail = byId("mail").value.trim();
  const wanted = { ...toPeriod(days()), excel, values: raw ? "raw" : "formatted", ...(mail ? { notify: mail } : {}) };
  const note = byId("transfer-note");
  byId("transfer").hidden = false;
  byId("transfer-progress").hidden = true;
  try {
    await api.startJob(chosen(), wanted);
    say(note, "good", "It is being prepared. You can close this page and come back.",
      mail ? "A message is sent when it is ready." : "");
  } catch (e) {
    say(note, "bad", "Nothing is prepared.", e.message);
  }
  jobs.refresh();
}

function showWho(session) {
  byId("who").hidden = session.mode === "none" || !session.signed_in;
  byId("name").textContent = session.name;
  byId("mail").value = session.mail ?? "";
  if (session.sign_out === null) return;
  const ours = session.sign_out === "/sign-out";
  byId("sign-out").hidden = !ours;
  byId("sign-out-link").hidden = ours;
  if (ours) byId("sign-out-csrf").value = session.csrf;
  else byId("sign-out-link").href = session.sign_out;
}

function showItems() {
  if (items.length === 0) {
    say(byId("fault"), "", "There is no export that you may use.", "Ask whoever runs this service.");
    return;
  }
  byId("export").replaceChildren(...items.map((item) => make("option", { value: item.name }, item.title)));
  byId("presets").replaceChildren(...PRESETS.map((preset) =>
    make("button", { type: "button", class: "plain", "aria-pressed": "false", click: () => choosePreset(preset) }, preset.name)));
  byId("choose-card").hidden = false;
  chooseExport();
  choosePreset(PRESETS[1]);
}

async function start() {
  try {
    const session = await api.session();
    api.remember(session);
    showWho(session);
    items = await api.exportsList();
  } catch (e) {
    say(byId("fault"), "bad", "The exports can't be shown.", e.message);
    return;
  }
  showItems();
  for (const id of ["first", "last"]) byId(id).addEventListener("input", changed);
  byId("export").addEventListener("change", chooseExport);
  byId("choose").addEventListener("submit", begin);
  byId("background").addEventListener("click", prepare);
  byId("report").addEventListener("click", () => showReport(chosen(), toPeriod(days())));
  byId("report-pdf").addEventListener("click", savePdf);
  jobs.start(items);
  refreshRecent(items);
}

start();
