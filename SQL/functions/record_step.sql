-- Sets a submission's `step` to the pending count of the new answers' question set. If the question set or the step
-- changes, appends the old pair of question set and step to `former`, and a second pair for a move to another question
-- set. Called under the form's lock, before the answers are replaced or withdrawn. `p_version` is the version of the
-- new answers, null for a withdrawal. Does nothing if the submission has no step.
CREATE OR REPLACE FUNCTION record_step(p_form_id uuid, p_id uuid, p_version integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_step integer;
    v_version integer;
    v_set integer;
    v_next integer;
    v_left integer;
    v_now integer;
BEGIN
    SELECT s.step, s.version INTO v_step, v_version FROM submission s WHERE s.form_id = p_form_id AND s.id = p_id;
    IF v_step IS NULL THEN
        RETURN;
    END IF;
    SELECT f.question_set INTO v_set FROM form_version f WHERE f.form_id = p_form_id AND f.version = v_version;
    SELECT f.question_set INTO v_next FROM form_version f
    WHERE f.form_id = p_form_id AND f.version = coalesce(p_version, v_version);
    SELECT max(t.pending) FILTER (WHERE t.question_set = v_set), max(t.pending) FILTER (WHERE t.question_set = v_next)
    INTO v_left, v_now
    FROM tally t WHERE t.form_id = p_form_id AND t.question = '' AND t.bucket = '#submissions';
    v_left := coalesce(v_left, 0);
    v_now := coalesce(v_now, 0);
    UPDATE submission SET step = v_now,
        former = nullif(coalesce(former, '{}')
            || CASE WHEN v_set <> v_next OR v_step <> v_now THEN ARRAY[v_set, v_step] ELSE '{}' END
            || CASE WHEN v_set <> v_next AND v_step <> v_left THEN ARRAY[v_set, v_left] ELSE '{}' END, '{}')
    WHERE form_id = p_form_id AND id = p_id;
END
$$;
