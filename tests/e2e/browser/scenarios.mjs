// Drives a browser through one scenario: node scenarios.mjs NAME, with the settings as JSON on
// standard input, prints what was seen as JSON.

import { readFileSync } from "node:fs";
import axe from "axe-core";
import { chromium } from "playwright-core";

const settings = JSON.parse(readFileSync(0, "utf8"));
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

const browser = await chromium.launch({ executablePath: settings.chromium, args: ARGUMENTS });
const faults = []; // of scripts, of the policy, and requests to elsewhere

async function open(options = {}) {
  const context = await browser.newContext({ acceptDownloads: true, locale: "en-GB", timezoneId: "America/New_York",
    viewport: { width: 1100, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on("pageerror", (e) => faults.push(`script: ${e.message}`));
  page.on("console", (m) => { if (/Content Security Policy|Refused to/.test(m.text())) faults.push(`policy: ${m.text()}`); });
  page.on("request", (r) => { if (!/^(blob|data):/.test(r.url()) && !r.url().startsWith(settings.url)) faults.push(`elsewhere: ${r.url()}`); });
  if (settings.now) await page.clock.setFixedTime(new Date(settings.now));
  return page;
}

async function signIn(page) {
  await page.goto(settings.url);
  if (!settings.token) return;
  await page.getByLabel("Access token").fill(settings.token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Download an export" }).waitFor();
}

async function choose(page, name, first, last) {
  await page.getByLabel("Export", { exact: true }).selectOption(name);
  await page.getByLabel("First day").fill(first);
  await page.getByLabel("Last day").fill(last);
  if (settings.slow) return;
  // Not the estimate of the period that was chosen before.
  await page.locator("#expected", { hasText: settings.unknown ? /can't be said/ : /30 Sept 2025: .*\d row/ }).waitFor().catch(async () => {
    throw new Error(`no estimate: ${await page.locator("main").innerText()}`);
  });
}

async function violations(page) {
  await page.evaluate(axe.source);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(" ")}`);
}

const note = (page) => page.locator("#transfer-note").innerText();
const shot = async (page, name) => { if (settings.shots) await page.screenshot({ path: `${settings.shots}/${name}.png`, fullPage: true }); };

async function save(download) {
  const chunks = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk);
  return { name: download.suggestedFilename(), text: Buffer.concat(chunks).toString("base64") };
}

const scenarios = {
  async download() {
    const page = await open();
    await signIn(page);
    await choose(page, settings.export, "2025-09-01", "2025-09-30");
    const expected = await page.locator("#expected").innerText();
    if (settings.plain) await page.getByLabel("Other programs").check();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download", exact: true }).click()]);
    const file = await save(download);
    await page.locator("#transfer-note.good").waitFor();
    await page.locator("#recent tr").first().waitFor();
    await shot(page, "complete");
    return { ...file, expected, note: await note(page), recent: await page.locator("#recent tr").first().innerText() };
  },

  async broken() {
    const page = await open();
    await signIn(page);
    await choose(page, settings.export, "2025-09-01", "2025-09-30");
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download", exact: true }).click()]);
    const failure = await download.failure();
    await page.locator("#transfer-note.bad").waitFor();
    await shot(page, "broken");
    return { failure, note: await note(page), violations: await violations(page) };
  },

  async refused() {
    const page = await open();
    await signIn(page);
    await choose(page, settings.export, "2025-09-01", "2025-09-30");
    await page.getByRole("button", { name: "Download", exact: true }).click();
    await page.locator("#transfer-note.bad").waitFor({ timeout: 30_000 });
    return { note: await note(page) };
  },

  async presets() {
    const page = await open();
    await signIn(page);
    const days = {};
    for (const name of ["This month", "Last month", "This quarter", "Last quarter", "This year", "Last year"]) {
      await page.getByRole("button", { name, exact: true }).click();
      days[name] = [await page.getByLabel("First day").inputValue(), await page.getByLabel("Last day").inputValue()];
    }
    return { days, pressed: await page.locator("#presets [aria-pressed=true]").allInnerTexts(), zone: await page.locator("#zone").innerText() };
  },

  async job() {
    const page = await open();
    await signIn(page);
    await choose(page, settings.export, "2025-09-01", "2025-09-30");
    const direct = await page.getByRole("button", { name: "Download", exact: true }).isDisabled();
    await page.getByRole("button", { name: "Prepare in the background" }).click();
    await page.locator("#jobs tr").first().waitFor();
    const link = page.locator("#jobs").getByRole("link", { name: /^Download/ });
    await link.waitFor({ timeout: 30_000 });
    await shot(page, "job");
    const seen = await violations(page);
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    return { ...(await save(download)), direct, note: await note(page), row: await page.locator("#jobs tr").first().innerText(), violations: seen };
  },

  async cancel() {
    const page = await open();
    await signIn(page);
    await choose(page, settings.export, "2025-09-01", "2025-09-30");
    await page.getByRole("button", { name: "Prepare in the background" }).click();
    await page.getByRole("button", { name: /^Cancel/ }).click();
    await page.locator("#jobs", { hasText: "Cancelled" }).waitFor();
    return { row: await page.locator("#jobs tr").first().innerText() };
  },

  async report() {
    const page = await open();
    await signIn(page);
    await choose(page, settings.export, "2025-09-01", "2025-09-30");
    await page.getByRole("button", { name: "Show the report" }).click();
    await page.locator("#report-note.good").waitFor();
    const totals = await page.locator("#report-body table").first().innerText();
    const charts = await page.locator("svg.chart").count();
    const bars = await page.locator("svg.chart").first().getAttribute("aria-label");
    await shot(page, "report");
    const seen = await violations(page);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download as PDF" }).click()]);
    return { ...(await save(download)), totals, charts, bars, violations: seen };
  },

  async signs() {
    const page = await open();
    await page.goto(`${settings.url}/exports`);
    const form = page.url();
    await shot(page, "sign-in");
    const seen = await violations(page);
    await page.getByLabel("Access token").fill("xpd_wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    const wrong = await page.getByRole("alert").innerText();
    await page.getByLabel("Access token").fill(settings.token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(/\/exports$/);
    await page.goto(settings.url);
    const name = await page.locator("#name").innerText();
    const offered = await page.locator("#export option").allInnerTexts();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(/\/sign-in$/);
    await page.goto(settings.url);
    return { form, wrong, name, offered, after: page.url(), violations: seen };
  },

  async accessible() {
    const seen = {};
    for (const [name, options] of Object.entries({ light: {}, dark: { colorScheme: "dark" }, phone: { viewport: { width: 360, height: 740 } } })) {
      const page = await open(options);
      await signIn(page);
      await page.locator("#expected", { hasText: /\d row/ }).waitFor();
      await shot(page, name);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      seen[name] = { violations: await violations(page), wide };
    }
    return seen;
  },

  async keyboard() {
    const page = await open();
    await signIn(page);
    await choose(page, settings.export, "2025-09-01", "2025-09-30");
    await page.getByRole("link", { name: "Skip to the exports" }).focus();
    const passed = [];
    for (let i = 0; i < 40; ++i) {
      await page.keyboard.press("Tab");
      const id = await page.evaluate(() => document.activeElement.id || document.activeElement.textContent.trim());
      passed.push(id);
      if (id === "download") break;
    }
    const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    return { passed, name: download.suggestedFilename() };
  },

  async markup() {
    const page = await open();
    await signIn(page);
    await page.locator("#expected", { hasText: /\d row/ }).waitFor();
    return { title: await page.locator("#export option").first().innerText(), images: await page.locator("img[src=x]").count() };
  },
};

try {
  const seen = await scenarios[process.argv[2]]();
  console.log(JSON.stringify({ ...seen, faults }));
} finally {
  await browser.close();
}
