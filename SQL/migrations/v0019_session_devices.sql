-- The browser and system that began a session, such as "Firefox, Windows", so that its owner recognizes it. Null for API
-- tokens, for other programs, and for sessions from before this migration.
ALTER TABLE token ADD COLUMN device text CONSTRAINT token_device_length CHECK (char_length(device) <= 100);
