-- Mail that waits to be sent: written in the transaction that caused it, handed to sendmail after its commit. A mail
-- that was sent or given up keeps no text, because texts hold links that open something.
-- Local to the coordinator on Citus, hence without foreign keys.
CREATE TABLE outbox (
    id uuid CONSTRAINT outbox_pkey PRIMARY KEY,
    kind text NOT NULL,
    recipient text NOT NULL,
    subject text,
    body text,
    -- One of many: letters about an account go before it.
    bulk boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- When its link opens nothing any more, so that sending it is no use.
    expires_at timestamptz,
    next_try_at timestamptz NOT NULL DEFAULT now(),
    tries integer NOT NULL DEFAULT 0 CONSTRAINT outbox_tries_not_negative CHECK (tries >= 0),
    sent_at timestamptz,
    failed_at timestamptz,
    last_error text,
    CONSTRAINT outbox_one_end CHECK (sent_at IS NULL OR failed_at IS NULL),
    CONSTRAINT outbox_text_while_waiting
        CHECK ((sent_at IS NULL AND failed_at IS NULL) = (subject IS NOT NULL AND body IS NOT NULL))
);
CREATE INDEX outbox_waiting ON outbox (bulk, next_try_at) WHERE sent_at IS NULL AND failed_at IS NULL;
CREATE INDEX outbox_age ON outbox (created_at);

-- How many personal links an account has mailed on a day in UTC. Local to the coordinator on Citus.
CREATE TABLE mail_allowance (
    account_id uuid NOT NULL,
    day date NOT NULL,
    mails integer NOT NULL CONSTRAINT mail_allowance_mails_positive CHECK (mails > 0),
    CONSTRAINT mail_allowance_pkey PRIMARY KEY (account_id, day)
);
