-- Whether the owner of the account gets the results by mail when a form of their meetings closes.
ALTER TABLE account ADD COLUMN mails_at_close boolean NOT NULL DEFAULT false;

-- For whom and about which meeting a mail is written at the moment it is sent, so that it contains what the account may
-- see then. Its subject and body are empty. Null for a mail whose text is stored.
ALTER TABLE outbox ADD COLUMN account_id uuid;
ALTER TABLE outbox ADD COLUMN meeting_id uuid;
ALTER TABLE outbox ADD CONSTRAINT outbox_written_for_account CHECK ((meeting_id IS NULL) = (account_id IS NULL));
-- A form that closes again before its mail was sent causes no second one.
CREATE UNIQUE INDEX outbox_written_once ON outbox (meeting_id, account_id) WHERE sent_at IS NULL AND failed_at IS NULL;
