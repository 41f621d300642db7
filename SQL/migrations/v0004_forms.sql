-- Control tables: what is asked. `form.definition` is the host's working copy; every published one is kept for ever.
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
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE form_version (
    form_id uuid NOT NULL CONSTRAINT form_version_form_known REFERENCES form (id),
    version integer NOT NULL CONSTRAINT form_version_positive CHECK (version >= 1),
    definition jsonb NOT NULL,
    published_at timestamptz NOT NULL DEFAULT now(),
    -- The digest of what is asked, whatever its wording and order; versions that ask the same have one question set,
    -- named by the first of them.
    asks bytea NOT NULL CONSTRAINT form_version_asks_length CHECK (octet_length(asks) = 32),
    question_set integer NOT NULL
        CONSTRAINT form_version_question_set_earlier CHECK (question_set BETWEEN 1 AND version),
    -- Before the first answer another version promised less or took the same answers otherwise: none is taken to this one.
    outdated boolean NOT NULL DEFAULT false,
    CONSTRAINT form_version_pkey PRIMARY KEY (form_id, version)
);

-- A question as results show it: the newest wording, with every option that any version had. A key that the newest
-- version no longer asks is retired: its last_version stays behind.
CREATE TABLE question (
    form_id uuid NOT NULL CONSTRAINT question_form_known REFERENCES form (id),
    key text NOT NULL CONSTRAINT question_key_shape CHECK (key ~ '^[a-z][a-z0-9_]{0,39}$'),
    position integer NOT NULL,
    definition jsonb NOT NULL,
    first_version integer NOT NULL,
    last_version integer NOT NULL,
    CONSTRAINT question_pkey PRIMARY KEY (form_id, key)
);
-- Rankings ask for one key of many forms.
CREATE INDEX question_key ON question (key, form_id);
