-- Accounts, sign-in and the audit trail. E-mail addresses are compared as a whole, ignoring case.

-- The row of a deleted account is kept with a placeholder as name and address, because meetings and the audit trail
-- refer to it.
CREATE TABLE account (
    id uuid CONSTRAINT account_pkey PRIMARY KEY,
    email citext NOT NULL CONSTRAINT account_email_unique UNIQUE,
    name text NOT NULL CONSTRAINT account_name_length CHECK (char_length(name) BETWEEN 1 AND 2000),
    role text NOT NULL CONSTRAINT account_role_known CHECK (role IN ('host', 'admin')),
    disabled_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    locale text CONSTRAINT account_locale_length CHECK (char_length(locale) BETWEEN 2 AND 35),
    time_zone text,
    revision bigint NOT NULL DEFAULT 1,
    deleted_at timestamptz,
    CONSTRAINT account_deleted_disabled CHECK (deleted_at IS NULL OR disabled_at IS NOT NULL)
);

CREATE TABLE credential (
    account_id uuid CONSTRAINT credential_pkey PRIMARY KEY
        CONSTRAINT credential_account_known REFERENCES account (id) ON DELETE CASCADE,
    password_hash text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE account_picture (
    account_id uuid CONSTRAINT account_picture_pkey PRIMARY KEY
        CONSTRAINT account_picture_account_known REFERENCES account (id) ON DELETE CASCADE,
    media_type text NOT NULL
        CONSTRAINT account_picture_type_known CHECK (media_type IN ('image/jpeg', 'image/png', 'image/webp')),
    bytes bytea NOT NULL CONSTRAINT account_picture_size CHECK (octet_length(bytes) BETWEEN 1 AND 4194304),
    digest bytea NOT NULL
);

-- The tables below are local to the coordinator on Citus, so they have no foreign keys. For a secret that was mailed or
-- shown once, only the SHA-256 is stored.

CREATE TABLE token (
    id uuid CONSTRAINT token_pkey PRIMARY KEY,
    account_id uuid NOT NULL,
    kind text NOT NULL CONSTRAINT token_kind_known CHECK (kind IN ('session', 'api')),
    name text,
    scopes text[] NOT NULL,
    hash bytea NOT NULL CONSTRAINT token_hash_unique UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz
);
CREATE INDEX token_account ON token (account_id);

-- A ticket with which a browser opens an event stream, because it cannot send a token there. Valid for one minute, with
-- the rights of the token that created it.
CREATE TABLE live_ticket (
    hash bytea CONSTRAINT live_ticket_pkey PRIMARY KEY,
    token_id uuid NOT NULL,
    account_id uuid NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX live_ticket_account ON live_ticket (account_id, expires_at);

-- A code with which a host can sign up. The new account becomes a co-host of `series_id` with `role`, unless the series
-- no longer exists by then.
CREATE TABLE invitation (
    id uuid CONSTRAINT invitation_pkey PRIMARY KEY,
    hash bytea NOT NULL CONSTRAINT invitation_hash_unique UNIQUE,
    -- The only address that may use it; null allows any.
    email citext,
    note text CONSTRAINT invitation_note_length CHECK (char_length(note) <= 3000),
    created_by uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    spent_at timestamptz,
    spent_by uuid,
    series_id uuid,
    role text,
    CONSTRAINT invitation_spent_whole CHECK ((spent_at IS NULL) = (spent_by IS NULL)),
    CONSTRAINT invitation_role_known CHECK (role IN ('editor', 'viewer')),
    CONSTRAINT invitation_series_whole CHECK ((series_id IS NULL) = (role IS NULL))
);

-- A sign-up whose address is not verified yet. The verification creates the account and sets the password.
CREATE TABLE registration (
    id uuid CONSTRAINT registration_pkey PRIMARY KEY,
    hash bytea NOT NULL CONSTRAINT registration_hash_unique UNIQUE,
    email citext NOT NULL,
    name text NOT NULL CONSTRAINT registration_name_length CHECK (char_length(name) BETWEEN 1 AND 2000),
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

CREATE TABLE audit (
    id uuid CONSTRAINT audit_pkey PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    account_id uuid NOT NULL,
    act text NOT NULL,
    subject_id uuid NOT NULL,
    -- What the action changed, such as a role. Never contains other people's answers.
    detail jsonb
);
CREATE INDEX audit_subject ON audit (subject_id, at);
CREATE INDEX audit_account ON audit (account_id, at);
CREATE INDEX audit_time ON audit (at, id);

-- The response to a POST that created something. It is stored for a day, so that a retry gets the same response.
CREATE TABLE idempotency (
    account_id uuid NOT NULL,
    key text NOT NULL,
    route text NOT NULL,
    body_hash bytea NOT NULL,
    -- Null only inside the transaction that creates the row.
    response bytea,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT idempotency_pkey PRIMARY KEY (account_id, route, key)
);
CREATE INDEX idempotency_age ON idempotency (created_at);

-- The check value of each key in the secret file. The service does not start with a different file.
CREATE TABLE secret_key (
    id integer CONSTRAINT secret_key_pkey PRIMARY KEY,
    check_value bytea NOT NULL
);
