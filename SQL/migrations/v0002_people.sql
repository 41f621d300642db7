-- Control tables: who may sign in, and what they did. An e-mail is compared whole and without regard to case.
CREATE TABLE account (
    id uuid CONSTRAINT account_pkey PRIMARY KEY,
    email citext NOT NULL CONSTRAINT account_email_unique UNIQUE,
    name text NOT NULL CONSTRAINT account_name_length CHECK (char_length(name) BETWEEN 1 AND 2000),
    role text NOT NULL CONSTRAINT account_role_known CHECK (role IN ('host', 'admin')),
    disabled_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE credential (
    account_id uuid CONSTRAINT credential_pkey PRIMARY KEY
        CONSTRAINT credential_account_known REFERENCES account (id) ON DELETE CASCADE,
    password_hash text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now()
);

-- Local to the coordinator on Citus, hence without foreign keys.
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

CREATE TABLE audit (
    id uuid CONSTRAINT audit_pkey PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    account_id uuid NOT NULL,
    act text NOT NULL,
    subject_id uuid NOT NULL
);
CREATE INDEX audit_subject ON audit (subject_id, at);

-- The answer to a POST that made something, kept for a day, so that a retry gets the same answer.
CREATE TABLE idempotency (
    account_id uuid NOT NULL,
    key text NOT NULL,
    route text NOT NULL,
    body_hash bytea NOT NULL,
    -- Null only inside the transaction that makes it.
    answer bytea,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT idempotency_pkey PRIMARY KEY (account_id, route, key)
);
CREATE INDEX idempotency_age ON idempotency (created_at);

-- What a numbered key of the secret file must answer, so that a start with another file stops.
CREATE TABLE secret_key (
    id integer CONSTRAINT secret_key_pkey PRIMARY KEY,
    check_value bytea NOT NULL
);
