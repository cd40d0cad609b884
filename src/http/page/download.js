// A download that the browser itself makes, so that no file passes through this page, watched by
// its receipt.

import * as api from "./api.js";
import { byId, make, say } from "./dom.js";
import { explainCode, rows, size } from "./words.js";

const LOOK = 500;
const PATIENCE = 20_000; // until a receipt has to be there

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// The service's refusal, if the frame got one instead of a file.
function refusalIn(frame) {
  try {
    const text = frame.contentDocument?.body?.textContent ?? "";
    return text.trim().startsWith("{") ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

function startInFrame(address) {
  const frame = make("iframe", { class: "download", title: "Download", "aria-hidden": "true", tabindex: "-1" });
  frame.src = address;
  document.body.append(frame);
  return frame;
}

function showProgress(receipt, expected) {
  const bar = byId("transfer-progress");
  const total = receipt?.expected_rows ?? expected;
  if (receipt && total > 0) {
    bar.max = total;
    bar.value = Math.min(receipt.rows, total);
  } else {
    bar.removeAttribute("value");
  }
  const note = byId("transfer-note");
  if (!receipt) say(note, "", "The download begins …");
  else say(note, "", `${rows(receipt.rows)}, ${size(receipt.bytes)} so far`);
}

function showEnd(receipt) {
  const bar = byId("transfer-progress");
  const note = byId("transfer-note");
  bar.hidden = true;
  if (receipt.state === "complete") {
    say(note, "good", `Complete: ${rows(receipt.rows)}, ${size(receipt.bytes)}`,
      receipt.rows === 0 ? "There is nothing in this period: the file has its headings only." : "");
  } else {
    say(note, "bad", "Broken: delete this file.",
      `It ended after ${rows(receipt.rows)}. ${explainCode(receipt.code)}`);
  }
}

// Follows the download to its end. `expected`: rows, if that is known.
export async function download(item, period, options, expected) {
  const id = crypto.randomUUID();
  byId("transfer").hidden = false;
  byId("transfer-progress").hidden = false;
  showProgress(null, expected);
  const frame = startInFrame(api.fileAddress(item, period, options, id));
  const begun = Date.now();
  let seen = false;
  try {
    for (;;) {
      await pause(LOOK);
      const refusal = refusalIn(frame);
      if (refusal) throw new api.Refusal(refusal.status, refusal);
      let receipt = null;
      try {
        receipt = await api.receipt(id);
      } catch (e) {
        if (e.status !== 404 || seen || Date.now() - begun > PATIENCE) throw e;
      }
      if (!receipt) continue;
      seen = true;
      if (receipt.state !== "running") return showEnd(receipt);
      showProgress(receipt, expected);
    }
  } catch (e) {
    byId("transfer-progress").hidden = true;
    const lines = seen ? ["How this download ended is not known.", `Compare it, or delete it and begin again. ${e.message}`]
      : ["There is no file.", e.status === 404 ? "The download did not begin. Try again." : e.message];
    say(byId("transfer-note"), "bad", ...lines);
  } finally {
    // A frame that is taken away would end a download that has not ended.
    setTimeout(() => frame.remove(), seen ? 60_000 : 0);
  }
}
