-- How an anonymous form becomes final: nothing that is left of it can be joined to who sent it (docs/privacy.md).
-- Since when its traces are being removed.
ALTER TABLE form_state ADD COLUMN finalising_since timestamptz;
-- The forms that are to become final, by the moment of their close, those that are on the way first; none of the final
-- ones. No submission changes anything that is indexed here. (In UTC, because an index takes nothing that a session's
-- time zone could change.)
CREATE INDEX form_state_finishes ON form_state (
    (CASE state WHEN 'finalising' THEN '-infinity'::timestamp
                WHEN 'closed' THEN closed_at AT TIME ZONE 'UTC'
                ELSE (closes_at AT TIME ZONE 'UTC') + make_interval(mins => grace_minutes) END))
    WHERE anonymous AND state IN ('open', 'closed', 'finalising') AND (state <> 'open' OR closes_at IS NOT NULL);

-- Replaces the answers of a form by copies under random ids, written in the order of these ids by one transaction, and
-- deletes the salt of the old ids. What recognised a respondent or a request is left out, and so are tombstones and
-- corrections' days; of the versions that asked the same the newest is
-- named; the days of the answers are dealt out anew among them, so that only their numbers stay true. The
-- tallies are written anew too: a row's place and transaction tell what the last to answer had chosen.
-- False where there is nothing to do.
CREATE FUNCTION unlink_submissions(p_form_id uuid) RETURNS boolean LANGUAGE plpgsql
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

    WITH gone AS MATERIALIZED (
        DELETE FROM submission s WHERE s.form_id = p_form_id RETURNING s.*
    ), kept AS MATERIALIZED (
        SELECT gen_random_uuid() AS fresh, coalesce(m.newest, g.version) AS version, g.answers, g.hidden,
            row_number() OVER (ORDER BY g.id) AS place
        FROM gone g LEFT JOIN (
            SELECT own.version, max(v.version) AS newest
            FROM form_version own JOIN form_version v
                ON v.form_id = own.form_id AND v.question_set = own.question_set
            WHERE own.form_id = p_form_id GROUP BY own.version
        ) m ON m.version = g.version
        WHERE NOT g.withdrawn
    ), days AS MATERIALIZED (
        SELECT g.submitted_on, row_number() OVER (ORDER BY gen_random_uuid()) AS place
        FROM gone g WHERE NOT g.withdrawn
    )
    INSERT INTO submission (form_id, id, version, answers, submitted_on, hidden)
    SELECT p_form_id, k.fresh, k.version, k.answers, d.submitted_on, k.hidden
    FROM kept k JOIN days d ON d.place = k.place
    ORDER BY k.fresh;

    WITH gone AS MATERIALIZED (
        DELETE FROM tally t WHERE t.form_id = p_form_id RETURNING t.*
    )
    INSERT INTO tally SELECT g.* FROM gone g ORDER BY g.question, g.bucket, g.question_set;
    RETURN true;
END
$$;
