// What both handlers share: the HTTP server, the query, the CSV rules, the loop's delay.
import http from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import pg from 'pg';

export const HEADER = 'id,customer,email,total,created_at\n';
export const QUERY =
  'SELECT id, customer_name, email, total, currency, created_at FROM orders ' +
  'WHERE created_at >= $1::timestamptz AND created_at < $2::timestamptz ORDER BY created_at, id';

const NEEDS_QUOTES = /[",\r\n]|^ | $/;
const FORMULA = /^\s*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

export function quoted(text) {
  return text === '' || NEEDS_QUOTES.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

/** Free text: a leading formula character is disarmed, as exportd does. */
export function freeText(text) {
  return FORMULA.test(text) ? '"\'' + text.replaceAll('"', '""') + '"' : quoted(text);
}

// One millisecond of every sample is the interval itself, not a delay.
const RESOLUTION_MS = 1;

function delayReading(histogram) {
  const ms = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  const reading = {
    p50: ms(histogram.percentile(50)),
    p99: ms(histogram.percentile(99)),
    max: ms(histogram.max),
  };
  histogram.reset();
  return reading;
}

/** Serves `GET /exports/orders.csv` by `handler(pool, from, to, response)`. */
export function serve(handler) {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 220 });
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  const server = http.createServer(async (request, response) => {
    const url = new URL(request.url, 'http://localhost');
    if (url.pathname === '/healthz') return response.end('ok\n');
    if (url.pathname === '/stats') return response.end(JSON.stringify(delayReading(histogram)));
    if (url.pathname !== '/exports/orders.csv') return response.writeHead(404).end();
    try {
      response.setHeader('Content-Type', 'text/csv; charset=utf-8');
      await handler(pool, url.searchParams.get('from'), url.searchParams.get('to'), response);
    } catch (error) {
      console.error(error);
      response.destroy();
    }
  });
  server.listen(Number(process.env.PORT), '127.0.0.1');
  process.on('SIGTERM', () => process.exit(0));
}
