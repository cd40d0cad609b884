SELECT
    n AS number,
    n::int2 AS small,
    n::int8 * 1000000007 AS large,
    (n / 7.0)::float4 AS single,
    (n / 7.0)::float8 AS double,
    (n * 1234.5678)::numeric(14, 4) AS exact,
    n % 2 = 0 AS even,
    'row ' || n AS label,
    ('varchar ' || n)::varchar(40) AS short_label,
    'pad'::char(6) AS padded,
    'a_name'::name AS identifier,
    md5(n::text)::uuid AS unique_id,
    hour::date AS day,
    hour::time AS time_of_day,
    hour AT TIME ZONE 'Europe/London' AS local_time,
    hour AS instant,
    make_interval(days => n, hours => 3, secs => 4.5) AS duration,
    json_build_object('n', n, 'text', 'a "quoted", word') AS document,
    jsonb_build_object('n', n) AS binary_document,
    decode(lpad(to_hex(n), 8, '0'), 'hex') AS bytes,
    array_to_string(ARRAY[n, n + 1, n + 2], ' ') AS list,
    (ARRAY['x', 'y', NULL])::text AS array_text,
    NULL::text AS nothing
FROM (
    SELECT hour, row_number() OVER (ORDER BY hour)::int AS n
    FROM generate_series($1::timestamptz, $2::timestamptz - interval '1 microsecond', interval '1 hour') AS hour
) AS hours
ORDER BY hour
