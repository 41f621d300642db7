-- Series and their meetings, which are the rounds of the series. The program limits texts in grapheme clusters, which
-- may have many code points; the checks here are looser limits, in case the program fails to apply its own.
CREATE TABLE series (
    id uuid CONSTRAINT series_pkey PRIMARY KEY,
    owner_id uuid NOT NULL CONSTRAINT series_owner_known REFERENCES account (id),
    title text NOT NULL CONSTRAINT series_title_length CHECK (char_length(title) BETWEEN 1 AND 3000),
    rounds integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    code text NOT NULL CONSTRAINT series_code_unique UNIQUE
        CONSTRAINT series_code_shape CHECK (code ~ '^[0-9a-z]{13}$'),
    revision bigint NOT NULL DEFAULT 1
);
CREATE INDEX series_owner ON series (owner_id, id);

CREATE TABLE series_host (
    series_id uuid NOT NULL CONSTRAINT series_host_series_known REFERENCES series (id),
    account_id uuid NOT NULL CONSTRAINT series_host_account_known REFERENCES account (id),
    role text NOT NULL CONSTRAINT series_host_role_known CHECK (role IN ('editor', 'viewer')),
    CONSTRAINT series_host_pkey PRIMARY KEY (series_id, account_id)
);
CREATE INDEX series_host_account ON series_host (account_id);

-- Dated meetings of one host never overlap, unless overlaps are allowed. A range without bounds would overlap with all
-- others, so the constraint requires starts_at.
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
    check_in_code text NOT NULL CONSTRAINT meeting_check_in_code_unique UNIQUE
        CONSTRAINT meeting_check_in_code_shape CHECK (check_in_code ~ '^[0-9a-z]{13}$'),
    CONSTRAINT meeting_round_unique UNIQUE (series_id, round),
    CONSTRAINT meeting_dated_whole CHECK ((starts_at IS NULL) = (ends_at IS NULL)),
    CONSTRAINT meeting_starts_before_end CHECK (starts_at < ends_at),
    CONSTRAINT meeting_no_overlap EXCLUDE USING gist (host_id WITH =, tstzrange(starts_at, ends_at) WITH &&)
        WHERE (deleted_at IS NULL AND starts_at IS NOT NULL AND NOT allow_overlap)
);
CREATE INDEX meeting_host_start ON meeting (host_id, starts_at);
CREATE INDEX meeting_start ON meeting (starts_at);
CREATE INDEX meeting_trash ON meeting (deleted_at) WHERE deleted_at IS NOT NULL;

-- Each image is stored once, however many rounds show it. An image without a meeting is deleted.
CREATE TABLE image (
    -- SHA-256 of the bytes.
    digest bytea CONSTRAINT image_pkey PRIMARY KEY
        CONSTRAINT image_digest_length CHECK (octet_length(digest) = 32),
    media_type text NOT NULL
        CONSTRAINT image_type_known CHECK (media_type IN ('image/jpeg', 'image/png', 'image/webp')),
    bytes bytea NOT NULL CONSTRAINT image_size CHECK (octet_length(bytes) BETWEEN 1 AND 4194304)
);

CREATE TABLE meeting_image (
    meeting_id uuid CONSTRAINT meeting_image_pkey PRIMARY KEY
        CONSTRAINT meeting_image_meeting_known REFERENCES meeting (id),
    digest bytea NOT NULL CONSTRAINT meeting_image_image_known REFERENCES image (digest)
);
CREATE INDEX meeting_image_digest ON meeting_image (digest);

-- A link with which anyone can read one meeting's results until it expires. Only the SHA-256 of its token is stored.
CREATE TABLE share (
    id uuid CONSTRAINT share_pkey PRIMARY KEY,
    meeting_id uuid NOT NULL CONSTRAINT share_meeting_known REFERENCES meeting (id),
    hash bytea NOT NULL CONSTRAINT share_hash_unique UNIQUE,
    -- Shown in the hosts' list only.
    name text CONSTRAINT share_name_length CHECK (char_length(name) BETWEEN 1 AND 1000),
    created_by uuid NOT NULL CONSTRAINT share_maker_known REFERENCES account (id),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz
);
CREATE INDEX share_meeting ON share (meeting_id, id);
CREATE INDEX share_maker ON share (created_by);
