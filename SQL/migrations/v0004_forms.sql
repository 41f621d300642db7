-- Forms and their questions. `form.definition` is the host's working copy; every published version is kept forever.
CREATE TABLE form (
    id uuid CONSTRAINT form_pkey PRIMARY KEY,
    meeting_id uuid NOT NULL CONSTRAINT form_meeting_unique UNIQUE
        CONSTRAINT form_meeting_known REFERENCES meeting (id),
    code text NOT NULL CONSTRAINT form_code_unique UNIQUE
        CONSTRAINT form_code_shape CHECK (code ~ '^[0-9a-z]{13}$'),
    join_code text NOT NULL CONSTRAINT form_join_code_unique UNIQUE
        CONSTRAINT form_join_code_shape CHECK (join_code ~ '^[0-9a-z]{8}$'),
    definition jsonb NOT NULL,
    version integer NOT NULL DEFAULT 0,
    revision bigint NOT NULL DEFAULT 1,
    updated_at timestamptz NOT NULL DEFAULT now(),
    -- When a draft is published automatically, null if never. The clock job checks again under the lock.
    publishes_at timestamptz
);
CREATE INDEX form_publishes ON form (publishes_at) WHERE version = 0 AND publishes_at IS NOT NULL;

CREATE TABLE form_version (
    form_id uuid NOT NULL CONSTRAINT form_version_form_known REFERENCES form (id),
    version integer NOT NULL CONSTRAINT form_version_positive CHECK (version >= 1),
    definition jsonb NOT NULL,
    published_at timestamptz NOT NULL DEFAULT now(),
    -- The digest of the questions, regardless of wording and order. Versions with the same digest share one question
    -- set, whose number is the version of the first of them.
    asks bytea NOT NULL CONSTRAINT form_version_asks_length CHECK (octet_length(asks) = 32),
    question_set integer NOT NULL
        CONSTRAINT form_version_question_set_earlier CHECK (question_set BETWEEN 1 AND version),
    -- Whether the version was replaced, before its first answer, by one that promises less or validates answers
    -- differently. It no longer accepts answers.
    outdated boolean NOT NULL DEFAULT false,
    CONSTRAINT form_version_pkey PRIMARY KEY (form_id, version)
);

-- A question as results show it: the newest wording, with all options of all versions. A key that the newest version
-- does not contain is retired; its last_version is an earlier one.
CREATE TABLE question (
    form_id uuid NOT NULL CONSTRAINT question_form_known REFERENCES form (id),
    key text NOT NULL CONSTRAINT question_key_shape CHECK (key ~ '^[a-z][a-z0-9_]{0,39}$'),
    position integer NOT NULL,
    definition jsonb NOT NULL,
    first_version integer NOT NULL,
    last_version integer NOT NULL,
    CONSTRAINT question_pkey PRIMARY KEY (form_id, key)
);
-- Rankings read one key of many forms.
CREATE INDEX question_key ON question (key, form_id);

-- The checks of form_state, tally and timeline are in domains. PostgreSQL parses the checks of a table again in each
-- statement that writes to it, but those of a domain once in a session. Every batch of submissions writes to all three.
CREATE DOMAIN form_state_state AS text
    CONSTRAINT form_state_known CHECK (VALUE IN ('draft', 'open', 'closed', 'finalising', 'final'));
CREATE DOMAIN form_state_notified AS text
    CONSTRAINT form_state_notified_known CHECK (VALUE IN ('draft', 'scheduled', 'open', 'closed'));
CREATE DOMAIN form_state_show_results AS text CONSTRAINT form_state_show_results_known
    CHECK (VALUE IN ('never', 'afterSubmission', 'afterClose', 'always'));
CREATE DOMAIN form_state_grace AS integer CONSTRAINT form_state_grace_range CHECK (VALUE BETWEEN 0 AND 1440);
CREATE DOMAIN form_state_cap AS integer CONSTRAINT form_state_cap_positive CHECK (VALUE >= 1);
CREATE DOMAIN form_state_minimum_group AS integer
    CONSTRAINT form_state_minimum_group_range CHECK (VALUE BETWEEN 1 AND 1000);
CREATE DOMAIN form_state_submissions AS bigint
    CONSTRAINT form_state_submissions_not_negative CHECK (VALUE >= 0);

-- The only source of a form's state. `open` means that the form was published and not closed by a host; its state at a
-- given time depends on opens_at, closes_at and the grace period (function form_state_at). No submission changes an
-- indexed column, so that the updates of `ingest` are heap-only.
CREATE TABLE form_state (
    form_id uuid NOT NULL CONSTRAINT form_state_form_known REFERENCES form (id),
    state form_state_state NOT NULL DEFAULT 'draft',
    trashed boolean NOT NULL DEFAULT false,
    opens_at timestamptz,
    closes_at timestamptz,
    grace_minutes form_state_grace NOT NULL DEFAULT 5,
    closed_at timestamptz,
    cap form_state_cap,
    once_only boolean NOT NULL DEFAULT false,
    anonymous boolean NOT NULL DEFAULT false,
    minimum_group form_state_minimum_group NOT NULL DEFAULT 1,
    show_results form_state_show_results NOT NULL DEFAULT 'never',
    key_id integer NOT NULL,
    submissions form_state_submissions NOT NULL DEFAULT 0,
    revision bigint NOT NULL DEFAULT 0,
    updated_at timestamptz NOT NULL,
    -- The last state that events have announced. Each opening or close is announced once, by a host or the clock.
    notified form_state_notified NOT NULL DEFAULT 'draft',
    -- The keys of the released text questions, null for none. Stored with the revision, so that one statement reads
    -- both.
    released text[],
    -- When finalising began.
    finalising_since timestamptz,
    -- Whether the anonymous form was reopened after a close. Results from before and after could then be compared, so
    -- it has no filters. Never reset.
    reopened boolean NOT NULL DEFAULT false,
    -- Whether a close has released its counts. Filters are then allowed, and earlier states are no longer shown.
    settled boolean NOT NULL DEFAULT false,
    -- The questions by which a final form may be filtered if earlier states of it were read. Null if none were.
    filterable text[],
    CONSTRAINT form_state_pkey PRIMARY KEY (form_id)
) WITH (fillfactor = 50);
-- Forms that open or close at a set time, by that time. (In UTC, because an index expression must not depend on the
-- session's time zone.)
CREATE INDEX form_state_due ON form_state (
    (CASE WHEN notified = 'open' THEN (closes_at AT TIME ZONE 'UTC') + make_interval(mins => grace_minutes)
          ELSE coalesce(opens_at AT TIME ZONE 'UTC', '-infinity') END))
    WHERE state = 'open' AND NOT trashed AND notified <> 'closed' AND (notified <> 'open' OR closes_at IS NOT NULL);
-- Anonymous forms that will become final, by the time of their close. Those that are being finalised come first.
CREATE INDEX form_state_finishes ON form_state (
    (CASE state WHEN 'finalising' THEN '-infinity'::timestamp
                WHEN 'closed' THEN closed_at AT TIME ZONE 'UTC'
                ELSE (closes_at AT TIME ZONE 'UTC') + make_interval(mins => grace_minutes) END))
    WHERE anonymous AND state IN ('open', 'closed', 'finalising') AND (state <> 'open' OR closes_at IS NOT NULL);

CREATE TABLE form_salt (
    form_id uuid NOT NULL CONSTRAINT form_salt_form_known REFERENCES form (id),
    salt bytea NOT NULL CONSTRAINT form_salt_length CHECK (octet_length(salt) = 32),
    CONSTRAINT form_salt_pkey PRIMARY KEY (form_id)
);
-- No statistics, because the planner's samples outlive the rows from which they were taken.
ALTER TABLE form_salt ALTER COLUMN salt SET STATISTICS 0;
