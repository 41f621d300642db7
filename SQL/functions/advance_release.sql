-- Releases the counts that a form's minimum group allows (docs/data-model.md), for each question set separately, so
-- that an edit of the form can't expose individual respondents. While the form is open, `shown` follows `pending` one
-- step behind. When the form is closed, the remaining counts of a set are released if they contain at least one minimum
-- group of submissions, or if the answers to an anonymous form have not changed since the last state that was read. For
-- an anonymous form, the remaining counts are those after that state. Corrections and withdrawals release nothing;
-- every step contains at least one group of new submissions. Closing waits for readers that are recording an earlier
-- state (record_release). After the close, no reader can record one.
CREATE OR REPLACE FUNCTION advance_release(p_form_id uuid, p_closed boolean)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_minimum integer;
    v_settled boolean;
    -- Whether each state that was read is in `seen_state`.
    v_recorded boolean;
    v_set integer;
    v_count bigint;
    v_read bigint;
    v_released boolean := false;
BEGIN
    SELECT s.minimum_group, s.settled, s.anonymous AND NOT s.reopened AND NOT s.settled
    INTO v_minimum, v_settled, v_recorded
    FROM form_state s WHERE s.form_id = p_form_id FOR UPDATE;
    IF p_closed AND NOT v_settled THEN
        PERFORM 1 FROM form_salt x WHERE x.form_id = p_form_id FOR UPDATE;
        UPDATE form_state SET settled = true WHERE form_id = p_form_id;
    END IF;
    IF v_minimum <= 1 THEN
        RETURN;
    END IF;
    IF p_closed THEN
        FOR v_set, v_count, v_read IN
            SELECT g.question_set, g.count, g.shown FROM tally g
            WHERE g.form_id = p_form_id AND g.question = '' AND g.bucket = '#submissions'
        LOOP
            IF v_recorded THEN
                SELECT coalesce(max(k.submissions), 0) INTO v_read FROM seen_state k
                WHERE k.form_id = p_form_id AND k.question_set = v_set;
            END IF;
            IF v_count - v_read >= v_minimum
                OR v_recorded AND v_read > 0 AND NOT has_changed_since(p_form_id, v_set, v_read)
            THEN
                UPDATE tally SET shown = count, pending = count WHERE form_id = p_form_id AND question_set = v_set;
                v_released := true;
            END IF;
        END LOOP;
        IF v_released THEN
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
