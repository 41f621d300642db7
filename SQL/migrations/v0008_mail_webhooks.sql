-- Mail and webhooks. All tables except `webhook` are local to the coordinator on Citus, so they have no foreign keys.

-- Mail to send. Written in the transaction that caused it, and passed to sendmail after the commit. The text of a mail
-- is deleted once it has been sent or abandoned, because it may contain links that grant access.
CREATE TABLE outbox (
    id uuid CONSTRAINT outbox_pkey PRIMARY KEY,
    kind text NOT NULL,
    recipient text NOT NULL,
    subject text,
    body text,
    -- Whether the mail is one of many similar ones. Mails about an account are sent first.
    bulk boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- When the link in the mail expires. The mail is not sent afterwards.
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

-- The number of personal links that an account mailed on a day in UTC.
CREATE TABLE daily_mail_count (
    account_id uuid NOT NULL,
    day date NOT NULL,
    mails integer NOT NULL CONSTRAINT daily_mail_count_mails_positive CHECK (mails > 0),
    CONSTRAINT daily_mail_count_pkey PRIMARY KEY (account_id, day)
);

-- Where an account receives events. The signing secret is derived from the key `key_id` and the webhook's id, and is
-- never stored.
CREATE TABLE webhook (
    id uuid CONSTRAINT webhook_pkey PRIMARY KEY,
    account_id uuid NOT NULL CONSTRAINT webhook_account_known REFERENCES account (id),
    url text NOT NULL CONSTRAINT webhook_url_length CHECK (char_length(url) BETWEEN 1 AND 2000),
    events text[] NOT NULL CONSTRAINT webhook_events_some CHECK (cardinality(events) >= 1),
    key_id integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhook_account ON webhook (account_id);

-- A webhook's health, and the lease under which its deliveries are sent one at a time. `claims` counts the leases, so
-- that a sender that returns after its lease has expired is detected.
CREATE TABLE webhook_state (
    webhook_id uuid CONSTRAINT webhook_state_pkey PRIMARY KEY,
    claims bigint NOT NULL DEFAULT 0,
    busy_until timestamptz NOT NULL DEFAULT now(),
    last_success_at timestamptz,
    failing_since timestamptz
);

-- An event for one webhook. Written in the transaction of the event and delivered at least once. All tries have the
-- same id and body.
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

-- The state of a form's results of which webhooks were last notified: the revision, and the time of the last answer.
-- Stored so that only one of several instances notifies of a change, and no more than once per interval.
CREATE TABLE webhook_result (
    form_id uuid CONSTRAINT webhook_result_pkey PRIMARY KEY,
    revision bigint NOT NULL,
    answered_at timestamptz NOT NULL,
    notified_at timestamptz NOT NULL
);
