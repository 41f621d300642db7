-- Whether the owner of the account gets a mail about the week of their meetings, and when the next one is due. The time
-- is null if they do not.
ALTER TABLE account ADD COLUMN weekly_digest boolean NOT NULL DEFAULT false;
ALTER TABLE account ADD COLUMN digest_due_at timestamptz;
CREATE INDEX account_digest_due ON account (digest_due_at) WHERE weekly_digest;

-- A mail for an account without a meeting is its digest.
ALTER TABLE outbox DROP CONSTRAINT outbox_written_for_account;
ALTER TABLE outbox ADD CONSTRAINT outbox_written_for_account CHECK (meeting_id IS NULL OR account_id IS NOT NULL);
