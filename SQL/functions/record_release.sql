-- Records in the release log that a reader is about to receive these states of an open anonymous form. Returns false if
-- the form has been closed in the meantime; the caller then reads the current released state. Locks the form's row in
-- form_salt rather than in form_state, so that no submission waits. Requires READ COMMITTED: once the lock is acquired,
-- the next statement must see what a close has committed.
CREATE OR REPLACE FUNCTION record_release(p_form_id uuid, p_sets integer[], p_submissions bigint[])
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM unnest(p_sets, p_submissions) AS u (question_set, submissions)
        LEFT JOIN seen_state k ON k.form_id = p_form_id AND k.question_set = u.question_set
            AND k.submissions = u.submissions
        WHERE k.form_id IS NULL)
    THEN
        RETURN true;
    END IF;
    PERFORM 1 FROM form_salt x WHERE x.form_id = p_form_id FOR KEY SHARE;
    IF NOT FOUND OR NOT EXISTS (
        SELECT FROM form_state s WHERE s.form_id = p_form_id AND NOT s.settled AND NOT s.reopened)
    THEN
        RETURN false;
    END IF;
    INSERT INTO seen_state (form_id, question_set, submissions)
    SELECT p_form_id, u.question_set, u.submissions
    FROM unnest(p_sets, p_submissions) AS u (question_set, submissions)
    ORDER BY 2, 3
    ON CONFLICT DO NOTHING;
    RETURN true;
END
$$;
