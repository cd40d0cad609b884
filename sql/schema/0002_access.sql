-- Who may have a background export is asked again when it runs and when its file is fetched: for
-- a user whom a proxy or a JWT named, by the groups of that time, a line each.
ALTER TABLE exportd.jobs ADD COLUMN owner_groups text NOT NULL DEFAULT '';

-- Who took what, and when. The service only ever adds to it; see access::audit_record.
CREATE TABLE exportd.audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    phase text NOT NULL CHECK (phase IN ('start', 'end', 'refused')),
    -- One attempt: an end names that of its start.
    attempt uuid NOT NULL,
    action text NOT NULL,
    who text NOT NULL,
    client text NOT NULL,
    request_id text NOT NULL,
    export text NOT NULL,
    subject text NOT NULL,
    range_from timestamptz,
    range_to timestamptz,
    options text NOT NULL,
    outcome text NOT NULL,
    code text NOT NULL,
    row_count bigint NOT NULL,
    byte_count bigint NOT NULL,
    duration_ms bigint NOT NULL,
    CHECK ((phase = 'start') = (outcome = ''))
);

CREATE INDEX audit_by_time ON exportd.audit (at);
CREATE INDEX audit_by_who ON exportd.audit (who, at);
-- A record that was written although its answer was lost is not written again.
CREATE UNIQUE INDEX audit_by_attempt ON exportd.audit (attempt, phase);

-- Nobody changes or removes a record in passing, its owner neither. To remove old ones the owner
-- disables the trigger in the transaction that does it.
CREATE FUNCTION exportd.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'exportd.audit is only ever added to';
END
$$;
CREATE TRIGGER audit_only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON exportd.audit
    FOR EACH STATEMENT EXECUTE FUNCTION exportd.refuse_change();

-- Attempts that began and whose end was never recorded: they still run, or their process died.
CREATE VIEW exportd.audit_unfinished AS
    SELECT * FROM exportd.audit AS begun
    WHERE phase = 'start'
      AND NOT EXISTS (SELECT FROM exportd.audit AS ended
                      WHERE ended.attempt = begun.attempt AND ended.phase = 'end');
