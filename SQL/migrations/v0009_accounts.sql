-- An account's own settings. A deleted account stays as a row without a name, because its acts and meetings name it.
ALTER TABLE account
    ADD COLUMN locale text CONSTRAINT account_locale_length CHECK (char_length(locale) BETWEEN 2 AND 35),
    ADD COLUMN time_zone text,
    ADD COLUMN revision bigint NOT NULL DEFAULT 1,
    ADD COLUMN deleted_at timestamptz,
    ADD CONSTRAINT account_deleted_disabled CHECK (deleted_at IS NULL OR disabled_at IS NOT NULL);

CREATE TABLE account_picture (
    account_id uuid CONSTRAINT account_picture_pkey PRIMARY KEY
        CONSTRAINT account_picture_account_known REFERENCES account (id) ON DELETE CASCADE,
    media_type text NOT NULL
        CONSTRAINT account_picture_type_known CHECK (media_type IN ('image/jpeg', 'image/png', 'image/webp')),
    bytes bytea NOT NULL CONSTRAINT account_picture_size CHECK (octet_length(bytes) BETWEEN 1 AND 4194304),
    digest bytea NOT NULL
);

-- Local to the coordinator on Citus, hence without foreign keys. Of a secret that was mailed or shown once only the
-- SHA-256 is kept.
CREATE TABLE invitation (
    id uuid CONSTRAINT invitation_pkey PRIMARY KEY,
    hash bytea NOT NULL CONSTRAINT invitation_hash_unique UNIQUE,
    -- The only address that may use it, if there is one.
    email citext,
    note text CONSTRAINT invitation_note_length CHECK (char_length(note) <= 3000),
    created_by uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    spent_at timestamptz,
    spent_by uuid,
    CONSTRAINT invitation_spent_whole CHECK ((spent_at IS NULL) = (spent_by IS NULL))
);

-- A sign-up that waits for its address to be verified; only then there is an account.
CREATE TABLE registration (
    id uuid CONSTRAINT registration_pkey PRIMARY KEY,
    hash bytea NOT NULL CONSTRAINT registration_hash_unique UNIQUE,
    email citext NOT NULL,
    name text NOT NULL CONSTRAINT registration_name_length CHECK (char_length(name) BETWEEN 1 AND 2000),
    password_hash text NOT NULL,
    invitation_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX registration_expiry ON registration (expires_at);

CREATE TABLE password_reset (
    id uuid CONSTRAINT password_reset_pkey PRIMARY KEY,
    hash bytea NOT NULL CONSTRAINT password_reset_hash_unique UNIQUE,
    account_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    used_at timestamptz
);
CREATE INDEX password_reset_account ON password_reset (account_id);
CREATE INDEX password_reset_expiry ON password_reset (expires_at);

-- What an act changed beyond its name, such as a role; never other people's answers.
ALTER TABLE audit ADD COLUMN detail jsonb;
CREATE INDEX audit_account ON audit (account_id, at);
CREATE INDEX audit_time ON audit (at, id);
