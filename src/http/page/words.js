// Words and numbers for people.

const WORDS = {
  not_signed_in: "Please sign in again.",
  csrf: "This page is out of date. Load it again.",
  not_permitted: "You may not use this export. Ask whoever runs this service.",
  raw_not_permitted: "You may not have these values as they are stored. Choose values as people read them.",
  range_too_long: "This period is too long. Choose a shorter one.",
  invalid_range: "The last day has to be the same as the first or later.",
  too_many_rows: "This is too much for one download. Have it prepared in the background, or choose a shorter period.",
  too_many_exports: "You already have several downloads running. Wait until one has ended.",
  too_many_requests: "That was a lot at once. Wait a minute and try again.",
  too_many_jobs: "You already have several files being prepared. Wait until one is ready.",
  row_quota: "You have downloaded as much as you may in one day. Try again tomorrow.",
  queue_full: "Many people are downloading at the moment. Try again in a minute.",
  queue_timeout: "Many people are downloading at the moment. Try again in a minute.",
  overloaded: "The service is very busy. Try again in a minute.",
  shutting_down: "The service is being restarted. Try again in a minute.",
  database_unavailable: "The orders' database can't be reached. Try again in a few minutes.",
  query_failed: "The database could not finish this export. Tell whoever runs this service.",
  first_row_timeout: "The database took too long to begin. Try a shorter period, or again later.",
  progress_timeout: "The database stopped delivering. Try again.",
  export_deadline: "It took longer than it may. Choose a shorter period, or have it prepared in the background.",
  report_timeout: "The report took longer than it may. Choose a shorter period.",
  client_gone: "The download was stopped in this browser or on the way.",
  stalled: "This browser did not take the file for a long while, so the download was ended.",
  audit_unavailable: "What is exported has to be recorded, and that does not work at the moment. Try again soon.",
  mail_not_available: "No messages can be sent to this address. Leave it empty and look here instead.",
  jobs_disabled: "Nothing is prepared in the background here.",
  jobs_not_set_up: "Preparing in the background is not set up yet.",
};

export function explain(status, problem) {
  if (status === 0) return "The service can't be reached. Check the network and try again.";
  return WORDS[problem?.code] ?? problem?.detail ?? `Something went wrong (${status}). Try again.`;
}

export const explainCode = (code) => WORDS[code] ?? "Something went wrong on the way. Try again.";

const counts = new Intl.NumberFormat("en-GB");
export const count = (n) => counts.format(n);
export const rows = (n) => `${count(n)} ${n === 1 ? "row" : "rows"}`;

// 16 MB: as a file manager says it.
export function size(bytes) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const text = unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1);
  return `${count(Number(text))} ${units[unit]}`;
}

export function duration(seconds) {
  if (seconds < 5) return "a few seconds";
  if (seconds < 90) return `about ${Math.round(seconds)} seconds`;
  if (seconds < 5400) return `about ${Math.round(seconds / 60)} minutes`;
  return `about ${Math.round(seconds / 3600)} hours`;
}
