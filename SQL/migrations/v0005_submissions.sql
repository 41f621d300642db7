-- Submissions and their counts, all keyed by form_id. A submission has no foreign key: `ingest` inserts under the lock
-- of the form's row in form_state, which proves that the form exists. A check for each row would cost more than the
-- insert.

-- A withdrawn submission keeps only its id. Its answers and MACs are deleted. A submission without an `Idempotency-Key`
-- has no MACs, because it cannot be repeated. Columns of fixed size come first, so that no padding is stored.
CREATE TABLE submission (
    form_id uuid NOT NULL,
    id uuid NOT NULL,
    submitted_at timestamptz,
    updated_at timestamptz,
    submitted_on date NOT NULL,
    version integer NOT NULL,
    -- On an anonymous form, the `pending` number of submissions of the row's question set when the answers arrived. A
    -- released state with more submissions than that includes the answers. `former` has the steps of earlier answers
    -- and of a withdrawal, as pairs of question set and step, oldest first. A correction that moved the answers to
    -- another question set adds a second pair for the move.
    step integer,
    -- The random number of the batch that stored the row. It stays the same when the batch is repeated after a lost
    -- connection, so that the repeated batch recognizes the rows that it has already stored.
    attempt integer,
    attendee_id uuid,
    withdrawn boolean NOT NULL DEFAULT false,
    answers jsonb,
    key_mac bytea,
    body_mac bytea,
    hidden text[],
    former integer[],
    CONSTRAINT submission_pkey PRIMARY KEY (form_id, id),
    CONSTRAINT submission_withdrawn_empty
        CHECK (CASE WHEN withdrawn THEN answers IS NULL AND key_mac IS NULL AND body_mac IS NULL
                    ELSE answers IS NOT NULL END)
);
-- No statistics for columns that link people to answers, because the planner's samples outlive the rows. Queries find
-- these rows by key and need no statistics.
ALTER TABLE submission
    ALTER COLUMN id SET STATISTICS 0, ALTER COLUMN answers SET STATISTICS 0, ALTER COLUMN attendee_id SET STATISTICS 0,
    ALTER COLUMN hidden SET STATISTICS 0, ALTER COLUMN key_mac SET STATISTICS 0, ALTER COLUMN body_mac SET STATISTICS 0,
    ALTER COLUMN step SET STATISTICS 0, ALTER COLUMN former SET STATISTICS 0;
-- Text pages list the newest first. Anonymous forms store no times and no order of their rows. The rows of a batch have
-- the same time, so that the index stores them as one entry; with the id as a third column, it would be six times as
-- large.
CREATE INDEX submission_newest ON submission (form_id, submitted_at) WHERE submitted_at IS NOT NULL;

-- Buckets are option ids, `other`, ratings, `#answered` and `#skipped`, each counted for the question set of the
-- answered version. The question '' has two buckets for each set: `#submissions`, and `#changes` for corrections and
-- withdrawals, because an equal number of submissions does not mean equal answers. `pending` and `shown` implement the
-- minimum group, for each set separately: whenever a group of new submissions is complete, `shown` becomes the previous
-- `pending`, and `pending` becomes `count`.
CREATE DOMAIN tally_count AS bigint CONSTRAINT tally_count_not_negative CHECK (VALUE >= 0);
CREATE TABLE tally (
    form_id uuid NOT NULL,
    -- Compared by bytes, because every batch looks up its buckets.
    question text COLLATE "C" NOT NULL,
    bucket text COLLATE "C" NOT NULL,
    question_set integer NOT NULL,
    count tally_count NOT NULL,
    pending bigint NOT NULL DEFAULT 0,
    shown bigint NOT NULL DEFAULT 0,
    CONSTRAINT tally_pkey PRIMARY KEY (form_id, question, bucket, question_set)
) WITH (fillfactor = 50);

-- Submissions by minute, or by day if the form is anonymous.
CREATE DOMAIN timeline_count AS bigint CONSTRAINT timeline_count_not_negative CHECK (VALUE >= 0);
CREATE TABLE timeline (
    form_id uuid NOT NULL,
    at timestamptz NOT NULL,
    count timeline_count NOT NULL,
    CONSTRAINT timeline_pkey PRIMARY KEY (form_id, at)
) WITH (fillfactor = 70);
