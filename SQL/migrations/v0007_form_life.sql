-- The life of a form at a moment: the rule of Domain.FormLife, for decisions under the lock. In PL/pgSQL, whose plan is
-- kept for the session: a function in SQL would be parsed anew at each call of ingest.
CREATE FUNCTION form_life(p_state text, p_opens_at timestamptz, p_closes_at timestamptz, p_grace integer, p_now timestamptz)
RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN CASE
        WHEN p_state <> 'open' THEN p_state
        WHEN p_closes_at IS NOT NULL AND p_now >= p_closes_at + make_interval(mins => p_grace) THEN 'closed'
        WHEN p_opens_at IS NOT NULL AND p_now < p_opens_at THEN 'scheduled'
        ELSE 'open'
    END;
END
$$;

-- Adds to the tallies of a form: parallel arrays, a pair of question and bucket at most once. What is taken away must
-- be there: a check constraint looks at a row before a conflict does, so a negative one cannot go through INSERT.
CREATE FUNCTION merge_tallies(p_form_id uuid, p_questions text[], p_buckets text[], p_deltas bigint[])
RETURNS void LANGUAGE sql AS $$
    UPDATE tally AS t SET count = t.count + d.delta
    FROM unnest(p_questions, p_buckets, p_deltas) AS d (question, bucket, delta)
    WHERE t.form_id = p_form_id AND t.question = d.question AND t.bucket = d.bucket AND d.delta < 0;
    INSERT INTO tally AS t (form_id, question, bucket, count)
    SELECT p_form_id, d.question, d.bucket, d.delta
    FROM unnest(p_questions, p_buckets, p_deltas) AS d (question, bucket, delta)
    WHERE d.delta > 0
    ORDER BY d.question, d.bucket
    ON CONFLICT (form_id, question, bucket) DO UPDATE SET count = t.count + excluded.count
$$;

-- Moves what a minimum group lets out (docs/data-model.md). While answers come, shown follows one step behind
-- pending; a closed form shows the rest, if that is a whole group. Corrections and withdrawals move nothing, and a
-- difference of submissions is at most the number of new ones, so a step has at least a group of new ones in it.
CREATE FUNCTION move_shown(p_form_id uuid, p_closed boolean)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v form_state%ROWTYPE;
BEGIN
    SELECT s.* INTO v FROM form_state s WHERE s.form_id = p_form_id FOR UPDATE;
    IF v.minimum_group <= 1 THEN
        RETURN;
    END IF;
    IF p_closed THEN
        IF v.submissions - v.shown_submissions >= v.minimum_group THEN
            UPDATE tally SET shown = count, pending = count WHERE form_id = p_form_id;
            UPDATE form_state SET shown_submissions = submissions, pending_submissions = submissions,
                unshown_changes = 0, revision = form_state.revision + 1
            WHERE form_id = p_form_id;
        END IF;
    ELSIF v.submissions - v.pending_submissions >= v.minimum_group THEN
        -- A minimum raised meanwhile may find less than a group between the two: then that waits for the next step.
        IF v.pending_submissions - v.shown_submissions >= v.minimum_group THEN
            UPDATE tally SET shown = pending, pending = count WHERE form_id = p_form_id;
            UPDATE form_state SET shown_submissions = pending_submissions, pending_submissions = submissions
            WHERE form_id = p_form_id;
        ELSE
            UPDATE tally SET pending = count WHERE form_id = p_form_id;
            UPDATE form_state SET pending_submissions = submissions WHERE form_id = p_form_id;
        END IF;
    END IF;
END
$$;
