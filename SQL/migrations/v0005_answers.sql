-- Data tables, all keyed by form_id. A submission has no foreign key: ingest inserts under the lock of the form's
-- row in form_state, which is the proof that the form exists, and a check per row would cost more than the insert.
-- `form_state` is the only truth of a form's life. State `open` means published and not closed by hand: opens_at,
-- closes_at and the grace say what that is at a given moment.
CREATE TABLE form_state (
    form_id uuid NOT NULL CONSTRAINT form_state_form_known REFERENCES form (id),
    state text NOT NULL DEFAULT 'draft'
        CONSTRAINT form_state_known CHECK (state IN ('draft', 'open', 'closed', 'finalising', 'final')),
    trashed boolean NOT NULL DEFAULT false,
    opens_at timestamptz,
    closes_at timestamptz,
    grace_minutes integer NOT NULL DEFAULT 5
        CONSTRAINT form_state_grace_range CHECK (grace_minutes BETWEEN 0 AND 1440),
    closed_at timestamptz,
    cap integer CONSTRAINT form_state_cap_positive CHECK (cap >= 1),
    once_only boolean NOT NULL DEFAULT false,
    anonymous boolean NOT NULL DEFAULT false,
    minimum_group integer NOT NULL DEFAULT 1
        CONSTRAINT form_state_minimum_group_range CHECK (minimum_group BETWEEN 1 AND 1000),
    show_results text NOT NULL DEFAULT 'never' CONSTRAINT form_state_show_results_known
        CHECK (show_results IN ('never', 'afterSubmission', 'afterClose', 'always')),
    key_id integer NOT NULL,
    submissions bigint NOT NULL DEFAULT 0 CONSTRAINT form_state_submissions_not_negative CHECK (submissions >= 0),
    revision bigint NOT NULL DEFAULT 0,
    updated_at timestamptz NOT NULL,
    CONSTRAINT form_state_pkey PRIMARY KEY (form_id)
);

CREATE TABLE form_salt (
    form_id uuid NOT NULL CONSTRAINT form_salt_form_known REFERENCES form (id),
    salt bytea NOT NULL CONSTRAINT form_salt_length CHECK (octet_length(salt) = 32),
    CONSTRAINT form_salt_pkey PRIMARY KEY (form_id)
);

-- A withdrawn submission is a tombstone: its answers and MACs are emptied, its id stays.
CREATE TABLE submission (
    form_id uuid NOT NULL,
    id uuid NOT NULL,
    version integer NOT NULL,
    answers jsonb,
    submitted_on date NOT NULL,
    submitted_at timestamptz,
    updated_at timestamptz,
    attendee_id uuid,
    hidden text[],
    withdrawn boolean NOT NULL DEFAULT false,
    key_mac bytea,
    body_mac bytea,
    CONSTRAINT submission_pkey PRIMARY KEY (form_id, id),
    CONSTRAINT submission_withdrawn_empty
        CHECK (CASE WHEN withdrawn THEN answers IS NULL AND key_mac IS NULL AND body_mac IS NULL
                    ELSE answers IS NOT NULL END)
);

-- What tells who answered what stays in the rows: samples of the planner outlive the rows that they were taken from, and
-- nothing asks for these columns otherwise than by a key.
ALTER TABLE form_salt ALTER COLUMN salt SET STATISTICS 0;
ALTER TABLE submission
    ALTER COLUMN id SET STATISTICS 0, ALTER COLUMN answers SET STATISTICS 0, ALTER COLUMN attendee_id SET STATISTICS 0,
    ALTER COLUMN hidden SET STATISTICS 0, ALTER COLUMN key_mac SET STATISTICS 0, ALTER COLUMN body_mac SET STATISTICS 0;

-- Buckets are option ids, `other`, ratings, and `#answered` and `#skipped`, each counted by the question set of the
-- version that was answered. The question '' counts a set's submissions themselves, and their corrections and
-- withdrawals: equal numbers of submissions do not mean equal answers. `pending` and `shown` are what a minimum group
-- lets out: shown runs one step of that many submissions behind pending, each set by itself.
CREATE TABLE tally (
    form_id uuid NOT NULL,
    question text NOT NULL,
    bucket text NOT NULL,
    question_set integer NOT NULL,
    count bigint NOT NULL CONSTRAINT tally_count_not_negative CHECK (count >= 0),
    pending bigint NOT NULL DEFAULT 0,
    shown bigint NOT NULL DEFAULT 0,
    CONSTRAINT tally_pkey PRIMARY KEY (form_id, question, bucket, question_set)
);

-- Submissions by minute, by day where the form is anonymous.
CREATE TABLE timeline (
    form_id uuid NOT NULL,
    at timestamptz NOT NULL,
    count bigint NOT NULL CONSTRAINT timeline_count_not_negative CHECK (count >= 0),
    CONSTRAINT timeline_pkey PRIMARY KEY (form_id, at)
);
