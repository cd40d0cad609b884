// Files that are prepared in the background.

import * as api from "./api.js";
import { spanOf } from "./dates.js";
import { byId, make } from "./dom.js";
import { duration, explainCode, rows, size } from "./words.js";

const LOOK = 2000;
const OPEN = ["queued", "running"];
const STATES = {
  queued: "Waiting for its turn", running: "Being prepared", complete: "Ready", failed: "Failed",
  cancelled: "Cancelled", expired: "Deleted after its time",
};

let timer = null;
let zones = new Map();
let states = new Map();

function stateCell(job) {
  const lines = [make("div", {}, STATES[job.state] ?? job.state)];
  if (job.state === "running") {
    const bar = make("progress", { "aria-label": `Progress of ${job.title ?? job.export}`, max: "1" });
    if (job.progress !== null) bar.value = job.progress;
    lines.push(bar);
    const left = job.eta_seconds === null ? "" : `, ${duration(job.eta_seconds)} left`;
    lines.push(make("div", { class: "hint" }, `${rows(job.rows)}${left}`));
  } else if (job.state === "complete") {
    lines.push(make("div", { class: "hint" }, `${rows(job.rows)}, ${size(job.bytes)}`));
  } else if (job.state === "failed") {
    lines.push(make("div", { class: "hint" }, job.detail ?? explainCode(job.code)));
  }
  return make("td", {}, ...lines);
}

function fileCell(job, what) {
  const cell = make("td");
  if (job.state === "complete") {
    cell.append(make("a", { class: "button plain", href: `/jobs/${job.id}/file`, download: "",
      "aria-label": `Download ${what}` }, "Download"));
  } else if (OPEN.includes(job.state)) {
    cell.append(make("button", { type: "button", class: "plain", "data-cancel": job.id,
      "aria-label": `Cancel ${what}`,
      click: async () => { await api.endJob(job.id).catch(() => null); refresh(); } }, "Cancel"));
  }
  return cell;
}

function row(job) {
  const title = job.title ?? job.export;
  const span = spanOf(job.from, job.to, zones.get(job.export) ?? "Europe/London");
  return make("tr", {}, make("td", {}, title), make("td", {}, span), stateCell(job), fileCell(job, `${title}, ${span}`));
}

// Says a change once, for who does not see the table.
function tellChanges(list) {
  const now = new Map(list.map((job) => [job.id, job.state]));
  for (const job of list) {
    const before = states.get(job.id);
    if (before !== undefined && before !== job.state)
      byId("jobs-status").textContent = `${job.title ?? job.export}: ${STATES[job.state] ?? job.state}`;
  }
  states = now;
}

export async function refresh() {
  clearTimeout(timer);
  let list;
  try {
    list = await api.jobs();
  } catch {
    return; // there are none here, or they can't be had at the moment
  }
  const focused = document.activeElement?.getAttribute?.("data-cancel");
  byId("jobs").replaceChildren(...list.map(row));
  if (focused) document.querySelector(`[data-cancel="${focused}"]`)?.focus();
  byId("jobs-card").hidden = list.length === 0;
  tellChanges(list);
  if (list.some((job) => OPEN.includes(job.state))) timer = setTimeout(refresh, LOOK);
}

export function start(exportItems) {
  zones = new Map(exportItems.map((item) => [item.name, item.time_zone]));
  return refresh();
}
