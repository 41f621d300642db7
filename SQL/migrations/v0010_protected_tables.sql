-- The service adds to the audit trail and reads the check values of its keys and the record of migrations. It never
-- changes them, and an attacker who controls its statements cannot either.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'afterword_app') THEN
        REVOKE UPDATE, DELETE ON audit FROM afterword_app;
        REVOKE INSERT, UPDATE, DELETE ON secret_key, last_backup FROM afterword_app;
    END IF;
END
$$;
