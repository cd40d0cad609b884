// The usual cure: a cursor through pg-query-stream, cached formatters, backpressure by pipeline().
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import QueryStream from 'pg-query-stream';
import { HEADER, QUERY, freeText, quoted, serve } from './service.mjs';

const BATCH_ROWS = 1000;
const CHUNK_CHARACTERS = 64 * 1024;

const moneyFormats = new Map();
function money(currency) {
  let format = moneyFormats.get(currency);
  if (!format) {
    format = new Intl.NumberFormat('en-GB', { style: 'currency', currency });
    moneyFormats.set(currency, format);
  }
  return format;
}

const dateTime = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/London', dateStyle: 'short', timeStyle: 'medium',
});

function line(row) {
  return row.id + ',' + freeText(row.customer_name) + ',' + freeText(row.email) + ',' +
    quoted(money(row.currency).format(row.total)) + ',' +
    quoted(dateTime.format(row.created_at)) + '\n';
}

/** Rows in, text out, in chunks: one write a row would only measure the sockets. */
function encoder() {
  let chunk = HEADER;
  return new Transform({
    writableObjectMode: true,
    transform(row, _encoding, done) {
      chunk += line(row);
      if (chunk.length < CHUNK_CHARACTERS) return done();
      const full = chunk;
      chunk = '';
      done(null, full);
    },
    flush(done) {
      done(null, chunk);
    },
  });
}

serve(async (pool, from, to, response) => {
  const client = await pool.connect();
  try {
    const rows = client.query(new QueryStream(QUERY, [from, to], { batchSize: BATCH_ROWS, highWaterMark: BATCH_ROWS }));
    await pipeline(rows, encoder(), response);
  } finally {
    client.release();
  }
});
