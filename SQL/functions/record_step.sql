-- Sets a submission's `step` to the pending count of the new answers' question set. If the question set or the step
-- changes, appends the old pair of question set and step to `former`. For a move to another question set, also appends
-- the old question set with its pending count, unless that equals the old step. Called under the form's lock, before
-- the answers are replaced or withdrawn. `p_version` is the version of the new answers, null for a withdrawal. Does
-- nothing if the submission has no step.
CREATE OR REPLACE FUNCTION record_step(p_form_id uuid, p_id uuid, p_version integer)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_old_step integer;
    v_old_version integer;
    v_old_set integer;
    v_new_set integer;
    v_old_pending integer;
    v_new_pending integer;
BEGIN
    SELECT s.step, s.version INTO v_old_step, v_old_version
    FROM submission s WHERE s.form_id = p_form_id AND s.id = p_id;
    IF v_old_step IS NULL THEN
        RETURN;
    END IF;
    SELECT f.question_set INTO v_old_set FROM form_version f
    WHERE f.form_id = p_form_id AND f.version = v_old_version;
    SELECT f.question_set INTO v_new_set FROM form_version f
    WHERE f.form_id = p_form_id AND f.version = coalesce(p_version, v_old_version);
    SELECT max(t.pending) FILTER (WHERE t.question_set = v_old_set),
        max(t.pending) FILTER (WHERE t.question_set = v_new_set)
    INTO v_old_pending, v_new_pending
    FROM tally t WHERE t.form_id = p_form_id AND t.question = '' AND t.bucket = '#submissions';
    v_old_pending := coalesce(v_old_pending, 0);
    v_new_pending := coalesce(v_new_pending, 0);
    UPDATE submission SET step = v_new_pending,
        former = nullif(coalesce(former, '{}')
            || CASE WHEN v_old_set <> v_new_set OR v_old_step <> v_new_pending
                    THEN ARRAY[v_old_set, v_old_step] ELSE '{}' END
            || CASE WHEN v_old_set <> v_new_set AND v_old_step <> v_old_pending
                    THEN ARRAY[v_old_set, v_old_pending] ELSE '{}' END, '{}')
    WHERE form_id = p_form_id AND id = p_id;
END
$$;
