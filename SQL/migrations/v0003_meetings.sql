-- Control tables: series, their rounds, and the people on a round's list. The program judges the length of texts in
-- characters as people see them, of which one may be many code points: the checks are a bound behind that.
CREATE TABLE series (
    id uuid CONSTRAINT series_pkey PRIMARY KEY,
    owner_id uuid NOT NULL CONSTRAINT series_owner_known REFERENCES account (id),
    title text NOT NULL CONSTRAINT series_title_length CHECK (char_length(title) BETWEEN 1 AND 3000),
    rounds integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz
);
CREATE INDEX series_owner ON series (owner_id, id);

CREATE TABLE series_host (
    series_id uuid NOT NULL CONSTRAINT series_host_series_known REFERENCES series (id),
    account_id uuid NOT NULL CONSTRAINT series_host_account_known REFERENCES account (id),
    role text NOT NULL CONSTRAINT series_host_role_known CHECK (role IN ('editor', 'viewer')),
    CONSTRAINT series_host_pkey PRIMARY KEY (series_id, account_id)
);
CREATE INDEX series_host_account ON series_host (account_id);

-- Two dated meetings of one host never overlap, unless they say that they may. A range without bounds would clash
-- with everything, hence the condition on starts_at.
CREATE TABLE meeting (
    id uuid CONSTRAINT meeting_pkey PRIMARY KEY,
    series_id uuid NOT NULL CONSTRAINT meeting_series_known REFERENCES series (id),
    host_id uuid NOT NULL CONSTRAINT meeting_host_known REFERENCES account (id),
    round integer NOT NULL CONSTRAINT meeting_round_positive CHECK (round >= 1),
    title text NOT NULL CONSTRAINT meeting_title_length CHECK (char_length(title) BETWEEN 1 AND 3000),
    starts_at timestamptz,
    ends_at timestamptz,
    time_zone text NOT NULL,
    place text CONSTRAINT meeting_place_length CHECK (char_length(place) BETWEEN 1 AND 3000),
    headcount integer CONSTRAINT meeting_headcount_range CHECK (headcount BETWEEN 0 AND 1000000),
    late_after_minutes integer NOT NULL DEFAULT 0
        CONSTRAINT meeting_late_after_range CHECK (late_after_minutes BETWEEN 0 AND 1440),
    allow_overlap boolean NOT NULL DEFAULT false,
    revision bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    CONSTRAINT meeting_round_unique UNIQUE (series_id, round),
    CONSTRAINT meeting_dated_whole CHECK ((starts_at IS NULL) = (ends_at IS NULL)),
    CONSTRAINT meeting_starts_before_end CHECK (starts_at < ends_at),
    CONSTRAINT meeting_no_overlap EXCLUDE USING gist (host_id WITH =, tstzrange(starts_at, ends_at) WITH &&)
        WHERE (deleted_at IS NULL AND starts_at IS NOT NULL AND NOT allow_overlap)
);
CREATE INDEX meeting_host_start ON meeting (host_id, starts_at);
CREATE INDEX meeting_start ON meeting (starts_at);

CREATE TABLE attendee (
    id uuid CONSTRAINT attendee_pkey PRIMARY KEY,
    meeting_id uuid NOT NULL CONSTRAINT attendee_meeting_known REFERENCES meeting (id),
    name text NOT NULL CONSTRAINT attendee_name_length CHECK (char_length(name) BETWEEN 1 AND 2000),
    email citext,
    status text NOT NULL DEFAULT 'expected'
        CONSTRAINT attendee_status_known CHECK (status IN ('expected', 'present', 'late')),
    checked_in_at timestamptz,
    CONSTRAINT attendee_email_unique UNIQUE (meeting_id, email)
);
