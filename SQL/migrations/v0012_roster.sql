-- The roster of a series, and the codes with which people enter themselves. An address is compared whole and without
-- regard to case.
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
    -- Null takes any number.
    capacity integer CONSTRAINT join_code_capacity_positive CHECK (capacity >= 1),
    used integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    CONSTRAINT join_code_within_capacity CHECK (used BETWEEN 0 AND coalesce(capacity, used))
);
CREATE INDEX join_code_series ON join_code (series_id);

-- One person in one series, over all its rounds; the code shows them their own attendance.
CREATE TABLE person (
    series_id uuid NOT NULL CONSTRAINT person_series_known REFERENCES series (id),
    email citext NOT NULL,
    code text NOT NULL CONSTRAINT person_code_unique UNIQUE
        CONSTRAINT person_code_shape CHECK (code ~ '^[0-9a-z]{13}$'),
    CONSTRAINT person_pkey PRIMARY KEY (series_id, email)
);
CREATE INDEX person_email ON person (email);

-- Whoever could have answered by a personal link stays as a row when taken off the list: an erasure finds what they
-- answered, and the same address is the same person again, who answers once.
ALTER TABLE attendee
    ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN removed_at timestamptz;
CREATE INDEX attendee_email ON attendee (email);

-- What everybody reads.
CREATE VIEW listed_attendee AS
    SELECT id, meeting_id, name, email, status, checked_in_at, created_at FROM attendee WHERE removed_at IS NULL;
