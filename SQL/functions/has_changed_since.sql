-- Whether the answers to a question set of an anonymous form have changed since the released state that had `p_read`
-- submissions. They have not changed if all who answered since then have withdrawn. The arrival, the corrections and
-- the withdrawal of a submission are in `former` and `step` (record_step). An unknown step counts as a change. Written in
-- PL/pgSQL, because Citus plans no statement with parameters of an SQL function.
CREATE OR REPLACE FUNCTION has_changed_since(p_form_id uuid, p_question_set integer, p_read bigint)
RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM (
            SELECT s.step, NOT s.withdrawn AND v.question_set = p_question_set AS is_counted,
                ARRAY(SELECT s.former[i + 1] FROM generate_series(1, cardinality(s.former), 2) AS i
                    WHERE s.former[i] = p_question_set)
                || CASE WHEN v.question_set = p_question_set THEN ARRAY[s.step] ELSE '{}' END AS steps
            FROM submission s JOIN form_version v ON v.form_id = s.form_id AND v.version = s.version
            WHERE s.form_id = p_form_id
        ) c
        WHERE c.step IS NULL OR p_read <= ANY (c.steps) AND (c.is_counted OR p_read > ANY (c.steps)));
END
$$;
