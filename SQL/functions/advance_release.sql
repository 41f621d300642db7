-- Releases the counts that a form's minimum group allows (docs/data-model.md), for each question set separately, so
-- that an edit of the form can't expose individual respondents. While the form is open, `shown` follows `pending` one
-- step behind. When the form is closed, the rest of a set is released if it has at least as many submissions as the
-- minimum group. Corrections and withdrawals release nothing; every step contains at least one group of new
-- submissions. Closing waits for readers that are recording an earlier state (record_release). After it, no reader can
-- record one.
CREATE OR REPLACE FUNCTION advance_release(p_form_id uuid, p_closed boolean)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_minimum integer;
    v_settled boolean;
BEGIN
    SELECT s.minimum_group, s.settled INTO v_minimum, v_settled
    FROM form_state s WHERE s.form_id = p_form_id FOR UPDATE;
    IF p_closed AND NOT v_settled THEN
        PERFORM 1 FROM form_salt x WHERE x.form_id = p_form_id FOR UPDATE;
        UPDATE form_state SET settled = true WHERE form_id = p_form_id;
    END IF;
    IF v_minimum <= 1 THEN
        RETURN;
    END IF;
    IF p_closed THEN
        UPDATE tally AS t SET shown = t.count, pending = t.count
        FROM tally g
        WHERE g.form_id = p_form_id AND g.question = '' AND g.bucket = '#submissions'
            AND g.count - g.shown >= v_minimum
            AND t.form_id = p_form_id AND t.question_set = g.question_set;
        IF FOUND THEN
            UPDATE form_state SET revision = form_state.revision + 1 WHERE form_id = p_form_id;
        END IF;
    ELSE
        -- If the minimum group was raised, the difference may be smaller than a group. It is then released with the
        -- next step.
        UPDATE tally AS t
        SET shown = CASE WHEN g.pending - g.shown >= v_minimum THEN t.pending ELSE t.shown END, pending = t.count
        FROM tally g
        WHERE g.form_id = p_form_id AND g.question = '' AND g.bucket = '#submissions'
            AND g.count - g.pending >= v_minimum
            AND t.form_id = p_form_id AND t.question_set = g.question_set;
    END IF;
END
$$;
