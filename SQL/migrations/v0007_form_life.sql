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

-- Adds to the tallies of a form: parallel arrays, each entry by a version. What is taken away must be there: a check
-- constraint looks at a row before a conflict does, so a negative one cannot go through INSERT.
CREATE FUNCTION merge_tallies(p_form_id uuid, p_versions integer[], p_questions text[], p_buckets text[], p_deltas bigint[])
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_questions text[];
    v_buckets text[];
    v_sets integer[];
    v_deltas bigint[];
BEGIN
    SELECT array_agg(d.question), array_agg(d.bucket), array_agg(d.question_set), array_agg(d.delta)
    INTO v_questions, v_buckets, v_sets, v_deltas
    FROM (
        SELECT u.question, u.bucket, f.question_set, sum(u.delta)::bigint AS delta
        FROM unnest(p_versions, p_questions, p_buckets, p_deltas) AS u (version, question, bucket, delta)
        LEFT JOIN form_version f ON f.form_id = p_form_id AND f.version = u.version
        GROUP BY 1, 2, 3 HAVING sum(u.delta) <> 0 ORDER BY 1, 2, 3
    ) d;
    UPDATE tally AS t SET count = t.count + d.delta
    FROM unnest(v_questions, v_buckets, v_sets, v_deltas) AS d (question, bucket, question_set, delta)
    WHERE t.form_id = p_form_id AND t.question = d.question AND t.bucket = d.bucket
        AND t.question_set = d.question_set AND d.delta < 0;
    INSERT INTO tally AS t (form_id, question, bucket, question_set, count)
    SELECT p_form_id, d.question, d.bucket, d.question_set, d.delta
    FROM unnest(v_questions, v_buckets, v_sets, v_deltas) AS d (question, bucket, question_set, delta)
    WHERE d.delta > 0
    ON CONFLICT (form_id, question, bucket, question_set) DO UPDATE SET count = t.count + excluded.count;
END
$$;

-- Moves what a minimum group lets out (docs/data-model.md), each question set by itself, so that an edit sets nobody
-- apart. While answers come, shown follows one step behind pending; a closed form shows the rest of a set, if that is a
-- whole group. Corrections and withdrawals move nothing, and a difference of submissions is at most the number of new
-- ones, so a step has at least a group of new ones in it.
CREATE FUNCTION move_shown(p_form_id uuid, p_closed boolean)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_minimum integer;
BEGIN
    SELECT s.minimum_group INTO v_minimum FROM form_state s WHERE s.form_id = p_form_id FOR UPDATE;
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
        -- A minimum raised meanwhile may find less than a group between the two: then that waits for the next step.
        UPDATE tally AS t
        SET shown = CASE WHEN g.pending - g.shown >= v_minimum THEN t.pending ELSE t.shown END, pending = t.count
        FROM tally g
        WHERE g.form_id = p_form_id AND g.question = '' AND g.bucket = '#submissions'
            AND g.count - g.pending >= v_minimum
            AND t.form_id = p_form_id AND t.question_set = g.question_set;
    END IF;
END
$$;
