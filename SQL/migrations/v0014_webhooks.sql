-- A control table: where an account wants to be told of what happens. The secret is derived from the key and the id,
-- and never stored.
CREATE TABLE webhook (
    id uuid CONSTRAINT webhook_pkey PRIMARY KEY,
    account_id uuid NOT NULL CONSTRAINT webhook_account_known REFERENCES account (id),
    url text NOT NULL CONSTRAINT webhook_url_length CHECK (char_length(url) BETWEEN 1 AND 2000),
    events text[] NOT NULL CONSTRAINT webhook_events_some CHECK (cardinality(events) >= 1),
    key_id integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhook_account ON webhook (account_id);

-- What follows is local to the coordinator on Citus, hence without foreign keys.
-- A webhook's standing, and the lock under which one delivery at a time is taken: `claims` counts them, so that whoever
-- comes back after the lease has run out is known.
CREATE TABLE webhook_line (
    webhook_id uuid CONSTRAINT webhook_line_pkey PRIMARY KEY,
    claims bigint NOT NULL DEFAULT 0,
    busy_until timestamptz NOT NULL DEFAULT now(),
    last_success_at timestamptz,
    failing_since timestamptz
);

-- Told once or more to one webhook, written in the transaction of what it tells. Each try has the same id and body.
CREATE TABLE webhook_delivery (
    id uuid CONSTRAINT webhook_delivery_pkey PRIMARY KEY,
    webhook_id uuid NOT NULL,
    event text NOT NULL,
    body text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    next_try_at timestamptz NOT NULL DEFAULT now(),
    give_up_at timestamptz NOT NULL,
    tries integer NOT NULL DEFAULT 0 CONSTRAINT webhook_delivery_tries_not_negative CHECK (tries >= 0),
    last_try_at timestamptz,
    last_status integer,
    last_error text,
    delivered_at timestamptz,
    failed_at timestamptz,
    CONSTRAINT webhook_delivery_one_end CHECK (delivered_at IS NULL OR failed_at IS NULL)
);
CREATE INDEX webhook_delivery_waiting ON webhook_delivery (webhook_id, next_try_at)
    WHERE delivered_at IS NULL AND failed_at IS NULL;
CREATE INDEX webhook_delivery_log ON webhook_delivery (webhook_id, id);

-- The last change of a form's answers that was told, so that several instances tell it once, and not too often: the
-- revision of its results then, and the moment of the answer.
CREATE TABLE webhook_result (
    form_id uuid CONSTRAINT webhook_result_pkey PRIMARY KEY,
    revision bigint NOT NULL,
    answered_at timestamptz NOT NULL,
    told_at timestamptz NOT NULL
);
