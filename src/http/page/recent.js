// The caller's last downloads, as their receipts say.

import * as api from "./api.js";
import { spanOf, timeText } from "./dates.js";
import { byId, make } from "./dom.js";
import { rows, size } from "./words.js";

const ENDS = { running: "Running", failed: "Broken: delete the file", aborted: "Stopped: delete the file" };

function row(receipt, items) {
  const item = items.find((i) => i.name === receipt.export);
  const end = receipt.state === "complete" ? `Complete: ${rows(receipt.rows)}, ${size(receipt.bytes)}` : ENDS[receipt.state];
  return make("tr", {}, make("td", {}, item?.title ?? receipt.export),
    make("td", {}, spanOf(receipt.from, receipt.to, item?.time_zone ?? "UTC")),
    make("td", {}, timeText(receipt.started_at)), make("td", {}, end));
}

export async function refreshRecent(items) {
  let list;
  try {
    list = await api.receipts();
  } catch {
    return; // the page is of use without it
  }
  byId("recent").replaceChildren(...list.map((receipt) => row(receipt, items)));
  byId("recent-card").hidden = list.length === 0;
}
