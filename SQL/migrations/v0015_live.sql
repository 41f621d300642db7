-- What opens an event stream in a browser, which cannot send a token: good for a minute, with the rights of the token
-- that made it. Local to the coordinator on Citus, hence without foreign keys; only the SHA-256 is kept.
CREATE TABLE live_ticket (
    hash bytea CONSTRAINT live_ticket_pkey PRIMARY KEY,
    token_id uuid NOT NULL,
    account_id uuid NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX live_ticket_account ON live_ticket (account_id, expires_at);
