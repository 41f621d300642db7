-- Attendee lists, rosters, and the codes with which people join them. Addresses are compared as a whole, ignoring case.

-- An attendee who could have answered by a personal link keeps their row when removed from the list (`removed_at`). An
-- erasure can then find their answers, and if the same address is added again, the person still answers only once.
CREATE TABLE attendee (
    id uuid CONSTRAINT attendee_pkey PRIMARY KEY,
    meeting_id uuid NOT NULL CONSTRAINT attendee_meeting_known REFERENCES meeting (id),
    name text NOT NULL CONSTRAINT attendee_name_length CHECK (char_length(name) BETWEEN 1 AND 2000),
    email citext,
    status text NOT NULL DEFAULT 'expected'
        CONSTRAINT attendee_status_known CHECK (status IN ('expected', 'present', 'late')),
    checked_in_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    removed_at timestamptz,
    -- Whether the check-in code added the person. Walk-ins are limited in number and can be removed together. A walk-in
    -- whom a host edits or adds to the roster counts as invited.
    walk_in boolean NOT NULL DEFAULT false,
    CONSTRAINT attendee_email_unique UNIQUE (meeting_id, email)
);
CREATE INDEX attendee_email ON attendee (email);
CREATE INDEX attendee_walk_in ON attendee (meeting_id, checked_in_at) WHERE walk_in AND removed_at IS NULL;

-- All queries of the list use this view.
CREATE VIEW listed_attendee AS
    SELECT id, meeting_id, name, email, status, checked_in_at, created_at FROM attendee WHERE removed_at IS NULL;

CREATE TABLE member (
    id uuid CONSTRAINT member_pkey PRIMARY KEY,
    series_id uuid NOT NULL CONSTRAINT member_series_known REFERENCES series (id),
    name text NOT NULL CONSTRAINT member_name_length CHECK (char_length(name) BETWEEN 1 AND 2000),
    email citext NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT member_email_unique UNIQUE (series_id, email)
);
CREATE INDEX member_email ON member (email);

CREATE TABLE join_code (
    id uuid CONSTRAINT join_code_pkey PRIMARY KEY,
    series_id uuid NOT NULL CONSTRAINT join_code_series_known REFERENCES series (id),
    code text NOT NULL CONSTRAINT join_code_code_unique UNIQUE
        CONSTRAINT join_code_code_shape CHECK (code ~ '^[0-9a-z]{13}$'),
    -- Null means unlimited.
    capacity integer CONSTRAINT join_code_capacity_positive CHECK (capacity >= 1),
    used integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    CONSTRAINT join_code_within_capacity CHECK (used BETWEEN 0 AND coalesce(capacity, used))
);
CREATE INDEX join_code_series ON join_code (series_id);

-- One person in one series, across all rounds. With the code they read their own attendance.
CREATE TABLE person (
    series_id uuid NOT NULL CONSTRAINT person_series_known REFERENCES series (id),
    email citext NOT NULL,
    code text NOT NULL CONSTRAINT person_code_unique UNIQUE
        CONSTRAINT person_code_shape CHECK (code ~ '^[0-9a-z]{13}$'),
    CONSTRAINT person_pkey PRIMARY KEY (series_id, email)
);
CREATE INDEX person_email ON person (email);
