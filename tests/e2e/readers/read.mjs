// Reads each CSV file of a directory, strictly, and prints a digest of its cells for each.
// NAME.crlf.csv has records that end in CR LF, any other name in LF.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";

const directory = process.argv[2];
const seen = {};
for (const name of readdirSync(directory).filter((each) => each.endsWith(".csv"))) {
  const hash = createHash("sha256");
  try {
    const records = parse(readFileSync(join(directory, name)), {
      bom: true, record_delimiter: name.endsWith(".crlf.csv") ? "\r\n" : "\n", relax_quotes: false,
      relax_column_count: false, skip_empty_lines: false, trim: false, ltrim: false, rtrim: false });
    for (const record of records) {
      hash.update(`${record.length};`);
      for (const field of record) hash.update(`${Buffer.byteLength(field)}:${field}`);
    }
    seen[name] = hash.digest("hex");
  } catch (fault) {
    seen[name] = `${fault.code}: ${fault.message}`;
  }
}
process.stdout.write(JSON.stringify(seen));
