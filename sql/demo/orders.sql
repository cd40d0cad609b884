-- 200,000 orders placed in 2025 (London time), the same ones every time, for trying exportd out:
--
--     psql -1 -f sql/demo/orders.sql [-v rows=1000000] DATABASE
--
-- Most rows are ordinary; every 40th customer has a name that careless CSV code breaks, and some
-- orders lie on the seams of months and of daylight saving time. Needs a database without a table
-- named orders. Values come from hashes of the row's number, which PostgreSQL keeps stable.

\encoding UTF8
\if :{?rows}
\else
\set rows 200000
\endif

CREATE TABLE orders (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer_name text           NOT NULL,
    email         text           NOT NULL,
    total         numeric(14, 2) NOT NULL,
    currency      char(3)        NOT NULL,
    created_at    timestamptz    NOT NULL
);

-- A number in [0, bound) that depends on the row and on what it is for.
CREATE FUNCTION pg_temp.pick(row_number bigint, purpose bigint, bound bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE AS $$ SELECT (hashint8extended(row_number, purpose) & 9223372036854775807) % bound $$;

CREATE TEMPORARY TABLE names ON COMMIT DROP AS
SELECT ARRAY['Amelia', 'Oliver', 'Isla', 'Noah', 'Zoë', 'Łukasz', 'Siobhán', 'José', 'Chloé', 'Jürgen', 'Ngozi',
             'Mehmet', 'Anaïs', 'Søren', 'Priya', 'Kwame', 'Ólafur', 'Dvořák', 'Giulia', 'Yuki'] AS given,
       ARRAY['Smith', 'O''Brien', 'Müller', 'Nguyễn', 'Kowalski', 'García', 'Fitzgerald-Jones', 'Öztürk', 'Ivanova',
             'Patel', 'Okafor', 'Rossi', 'Lindström', 'Šimić', 'van der Berg', 'Tanaka', 'Dubois', 'Ng', 'Æbelø',
             'MacDonald'] AS family,
       ARRAY['Smith, Jones & Sons', 'The "Quoted" Shop', '""', '"', ',', 'a;b', E'Two\nlines', E'Old Mac\rline',
             E'Windows\r\nline', E'Tab\tinside', ' leading space', 'trailing space ', '', '=1+1', '@SUM(1)', '+1',
             '-2+3', E'\t=1', E'\r=1', E'\n=1', ' =1', U&'\FF1D1', '=HYPERLINK("http://example.invalid","x")',
             'a,=1+1', 'a";=1+1', '+44 20 7946 0018', 'C:\temp\x', '渡辺 健', 'محمد علي', 'Дмитрий Иванов', 'Ελένη',
             '👩‍🚀 Rocket Ltd', U&'e\0301clair (combining)', 'NULL', '0012345678901234567', '£5 Shop',
             'A name so long that a fixed buffer would not hold it: ' || repeat('longer and ', 40) || 'done']
             AS awkward;

-- The instants on which a month, a quarter, the year or a clock changes, and the last ones before.
CREATE TEMPORARY TABLE seams ON COMMIT DROP AS
SELECT array_agg(instant ORDER BY instant) AS instants
FROM (SELECT start AT TIME ZONE 'Europe/London' + step AS instant
      FROM generate_series(timestamp '2025-01-01', timestamp '2025-12-01', interval '1 month') AS start,
           (VALUES (interval '0'), (interval '12 hours'), (interval '1 month' - interval '1 microsecond')) AS s (step)
      UNION
      VALUES (timestamptz '2025-03-30 00:59:59.999999+00'), ('2025-03-30 01:00:00+00'), ('2025-03-30 22:59:59+00'),
             ('2025-10-25 23:00:00+00'), ('2025-10-26 00:30:00+00'), ('2025-10-26 01:00:00+00'),
             ('2025-10-26 01:30:00+00'), ('2025-06-30 23:30:00+00'), ('2025-08-31 23:30:00+00'),
             ('2025-12-31 23:59:59.999999+00')) AS all_seams;

INSERT INTO orders (customer_name, email, total, currency, created_at)
SELECT CASE WHEN n % 40 = 0 THEN awkward[1 + n / 40 % cardinality(awkward)]
            ELSE given[1 + pg_temp.pick(n, 1, cardinality(given))] || ' ' ||
                 family[1 + pg_temp.pick(n, 2, cardinality(family))] END,
       'customer' || pg_temp.pick(n, 3, 40000) || '@example.com',
       CASE WHEN n % 5000 = 1 THEN 99999999999.99
            WHEN n % 1000 = 2 THEN 0
            WHEN n % 33 = 3 THEN -pg_temp.pick(n, 4, 50000) / 100.0
            WHEN n % 100 = 4 THEN pg_temp.pick(n, 4, 100000000) / 100.0
            ELSE 1 + pg_temp.pick(n, 4, 50000) / 100.0 END,
       (ARRAY['GBP', 'GBP', 'GBP', 'GBP', 'GBP', 'GBP', 'GBP', 'GBP', 'GBP', 'GBP', 'GBP', 'GBP',
              'EUR', 'EUR', 'EUR', 'USD', 'USD', 'JPY', 'CHF', 'KWD'])[1 + pg_temp.pick(n, 5, 20)],
       placed
FROM names, seams, generate_series(1, :rows) AS n,
     LATERAL (SELECT CASE WHEN n <= cardinality(instants) THEN instants[n]
                          ELSE timestamptz '2025-01-01 00:00:00+00' +
                               pg_temp.pick(n, 6, 365 * 86400 * 1000000::bigint) * interval '1 microsecond'
                     END AS placed) AS p
ORDER BY placed, n;

CREATE INDEX orders_created_at_id ON orders (created_at, id);
