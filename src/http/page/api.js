// What the page asks of the service. Every answer that is no success becomes a Refusal.

import { explain } from "./words.js";

export class Refusal extends Error {
  constructor(status, problem) {
    super(explain(status, problem));
    this.status = status;
    this.code = problem?.code ?? "";
    this.problem = problem;
  }
}

let csrf = null;
let signIn = null;

export function remember(session) {
  csrf = session.csrf;
  signIn = session.sign_in;
}

async function ask(method, address, body, accept) {
  const headers = { Accept: accept ?? "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (csrf !== null && method !== "GET") headers["X-CSRF-Token"] = csrf;
  let answer;
  try {
    answer = await fetch(address, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Refusal(0, null);
  }
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => null);
  if (answer.status === 401 && signIn !== null) location.assign(`${signIn}?next=/`);
  throw new Refusal(answer.status, problem);
}

async function read(address) {
  return (await ask("GET", address)).json();
}

const range = (period) => new URLSearchParams({ from: period.from, to: period.to });

export const session = () => read("/session");
export const exportsList = async () => (await read("/exports")).exports;
export const estimate = (item, period) => read(`${item.estimate}?${range(period)}`);
export const receipt = (id) => read(`/exports/receipts/${id}`);
export const receipts = async () => (await read("/exports/receipts")).receipts;
export const jobs = async () => (await read("/jobs?limit=10")).jobs;
export const startJob = async (item, wanted) => (await ask("POST", item.jobs, wanted)).json();
export const endJob = async (id) => (await ask("DELETE", `/jobs/${id}`)).json();
export const report = async (wanted) => (await ask("POST", "/exports/quarterly-report", wanted)).json();
export const reportPdf = async (wanted) =>
  (await ask("POST", "/exports/quarterly-report", wanted, "application/pdf, application/problem+json;q=0.1")).blob();

// The address of a file: the browser itself fetches it.
export function fileAddress(item, period, options, receiptId) {
  const query = range(period);
  if (options.raw) query.set("values", "raw");
  if (options.excel) query.set("excel", "1");
  query.set("receipt", receiptId);
  return `${item.href}?${query}`;
}
