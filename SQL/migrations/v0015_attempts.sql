-- The last attempts under each limit, such as failed sign-ins of an account from an address, so that all instances count
-- together. The key is a keyed hash of what is counted. Unlogged, because the rows live for an hour at most: addresses
-- get neither into the write-ahead log nor into backups, and a crash of the server resets the limits.
CREATE UNLOGGED TABLE attempt (
    key bytea NOT NULL,
    -- Oldest first, within the limit's window.
    times timestamptz[] NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT attempt_pkey PRIMARY KEY (key)
);
