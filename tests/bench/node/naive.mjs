// The handler that stalled the pod: every row in memory, then mapped, formatted and
// joined in one synchronous callback, with formatters made anew for each row.
import { HEADER, QUERY, freeText, quoted, serve } from './service.mjs';

function line(row) {
  const total = new Intl.NumberFormat('en-GB', { style: 'currency', currency: row.currency });
  const createdAt = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/London', dateStyle: 'short', timeStyle: 'medium',
  });
  return [
    row.id,
    freeText(row.customer_name),
    freeText(row.email),
    quoted(total.format(row.total)),
    quoted(createdAt.format(row.created_at)),
  ].join(',');
}

serve(async (pool, from, to, response) => {
  const { rows } = await pool.query(QUERY, [from, to]);
  response.end(HEADER + rows.map((row) => line(row) + '\n').join(''));
});
