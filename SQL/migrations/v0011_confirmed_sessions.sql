-- When the password of a session was last checked: at the sign-in, or when it was confirmed. Dangerous actions require
-- that this was recently. Sessions from before this migration were last checked when they began.
ALTER TABLE token ADD COLUMN confirmed_at timestamptz NOT NULL DEFAULT now();
UPDATE token SET confirmed_at = created_at;
