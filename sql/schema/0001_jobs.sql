-- Background exports. Every replica of the service reads and changes this table; see src/jobs.
CREATE TABLE exportd.jobs (
    id uuid PRIMARY KEY,
    -- Who may see it, who takes turns with others, and what was asked for.
    owner text NOT NULL,
    caller text NOT NULL,
    export text NOT NULL,
    range_from timestamptz NOT NULL,
    range_to timestamptz NOT NULL,
    raw_values boolean NOT NULL,
    excel boolean NOT NULL,
    idempotency_key text,
    letter_wanted boolean NOT NULL,
    -- How it goes.
    state text NOT NULL DEFAULT 'queued'
        CHECK (state IN ('queued', 'running', 'complete', 'failed', 'cancelled', 'expired')),
    cancel_requested boolean NOT NULL DEFAULT false,
    attempt int NOT NULL DEFAULT 0,
    row_count bigint NOT NULL DEFAULT 0,
    byte_count bigint NOT NULL DEFAULT 0,
    expected_rows bigint,
    code text,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Not before this time: a try that failed is repeated after a pause.
    due_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz,
    -- The lease. The fence grows with each claim and is part of the file's name, so that what a
    -- late owner still does reaches neither the row nor the file of the present one.
    lease_owner text,
    lease_until timestamptz,
    fence bigint NOT NULL DEFAULT 0,
    -- The file.
    file text,
    sha256 text,
    expires_at timestamptz,
    -- The letter. The address is removed when the job's file expires.
    notify text,
    mail_state text NOT NULL DEFAULT 'none'
        CHECK (mail_state IN ('none', 'waiting', 'sent', 'failed')),
    mail_attempt int NOT NULL DEFAULT 0,
    mail_due_at timestamptz,
    -- SHA-256 of the tokens in the links that were mailed.
    link_digests text[] NOT NULL DEFAULT '{}',
    CHECK (range_from < range_to),
    CHECK ((state = 'running') = (lease_until IS NOT NULL))
);

CREATE UNIQUE INDEX jobs_by_key ON exportd.jobs (owner, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
CREATE INDEX jobs_by_owner ON exportd.jobs (owner, created_at DESC);
CREATE INDEX jobs_by_caller ON exportd.jobs (caller, started_at);
CREATE INDEX jobs_open ON exportd.jobs (state, due_at) WHERE state IN ('queued', 'running');
CREATE INDEX jobs_with_file ON exportd.jobs (expires_at) WHERE file IS NOT NULL;
CREATE INDEX jobs_with_letter ON exportd.jobs (mail_due_at) WHERE mail_state = 'waiting';
