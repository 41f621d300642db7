-- Makes the submissions of an anonymous form unlinkable, as the last step to `final` (docs/privacy.md). Replaces them
-- by copies under random ids, inserted in the order of these ids in one transaction, and deletes the salt of the old
-- ids. The copies have no MACs, steps or correction times. Withdrawn submissions are deleted without a copy. Each copy
-- refers to the newest form version of its question set. Submission days are shuffled, so that only the number of
-- submissions per day is preserved. The tallies are rewritten too, because the position of a row in the table and the
-- transaction that last updated it would reveal the last respondent's answers. Returns false if there is nothing to do.
CREATE OR REPLACE FUNCTION unlink_submissions(p_form_id uuid) RETURNS boolean LANGUAGE plpgsql
-- As in `ingest`, a plan cached while the tables were small would scan the submissions of all forms, although the rows
-- of one form are found by primary key.
SET enable_seqscan = off
AS $$
DECLARE
    v_state text;
BEGIN
    SELECT s.state INTO v_state FROM form_state s WHERE s.form_id = p_form_id FOR UPDATE;
    IF v_state IS DISTINCT FROM 'finalising' THEN
        RETURN false;
    END IF;
    DELETE FROM form_salt WHERE form_id = p_form_id;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    -- The caller determines the allowed filters beforehand. If it has not, and earlier states have been read, no
    -- filters are allowed.
    UPDATE form_state SET filterable = '{}'
    WHERE form_id = p_form_id AND filterable IS NULL
        AND EXISTS (SELECT FROM seen_state k WHERE k.form_id = p_form_id);
    DELETE FROM seen_state WHERE form_id = p_form_id;

    WITH deleted AS MATERIALIZED (
        DELETE FROM submission s WHERE s.form_id = p_form_id RETURNING s.*
    ), kept AS MATERIALIZED (
        SELECT gen_random_uuid() AS new_id, coalesce(m.newest, d.version) AS version, d.answers, d.hidden, d.marks,
            row_number() OVER (ORDER BY d.id) AS place
        FROM deleted d LEFT JOIN (
            SELECT own.version, max(v.version) AS newest
            FROM form_version own JOIN form_version v
                ON v.form_id = own.form_id AND v.question_set = own.question_set
            WHERE own.form_id = p_form_id GROUP BY own.version
        ) m ON m.version = d.version
        WHERE NOT d.withdrawn
    ), days AS MATERIALIZED (
        SELECT d.submitted_on, row_number() OVER (ORDER BY gen_random_uuid()) AS place
        FROM deleted d WHERE NOT d.withdrawn
    )
    INSERT INTO submission (form_id, id, version, answers, submitted_on, hidden, marks)
    SELECT p_form_id, k.new_id, k.version, k.answers, d.submitted_on, k.hidden, k.marks
    FROM kept k JOIN days d ON d.place = k.place
    ORDER BY k.new_id;

    WITH deleted AS MATERIALIZED (
        DELETE FROM tally t WHERE t.form_id = p_form_id RETURNING t.*
    )
    INSERT INTO tally SELECT d.* FROM deleted d ORDER BY d.question, d.bucket, d.question_set;
    RETURN true;
END
$$;
