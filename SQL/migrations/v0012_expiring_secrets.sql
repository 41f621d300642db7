-- A session gets another token when its password is confirmed. The previous one stays valid for ten seconds, for a form
-- that was sent twice and for requests that are under way.
ALTER TABLE token ADD COLUMN previous_hash bytea;
ALTER TABLE token ADD COLUMN replaced_at timestamptz;
CREATE INDEX token_previous_hash ON token (previous_hash) WHERE previous_hash IS NOT NULL;

-- The end of a password that the service made and nobody has chosen; null for every other.
ALTER TABLE credential ADD COLUMN expires_at timestamptz;
