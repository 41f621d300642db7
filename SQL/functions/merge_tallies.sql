-- Adds deltas to the tallies of a form. The arrays are parallel: each entry has the form version, the question, the
-- bucket and the delta. Existing tallies are updated first, because INSERT … ON CONFLICT checks the constraint on
-- `count` before it detects the conflict, and takes three times as long.
CREATE OR REPLACE FUNCTION merge_tallies(
    p_form_id uuid, p_versions integer[], p_questions text[], p_buckets text[], p_deltas bigint[])
RETURNS void LANGUAGE plpgsql
-- Reads the form's tallies once, and finds their deltas in a hash table. As long as a table has no statistics, the
-- planner prefers a nested loop that compares each tally of the form with each delta: 20 s for 5,000 deltas instead of
-- 20 ms.
SET enable_nestloop = off
SET enable_seqscan = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    v_questions text[];
    v_buckets text[];
    v_sets integer[];
    v_deltas bigint[];
    v_updated bigint;
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
        AND t.question_set = d.question_set;
    GET DIAGNOSTICS v_updated = ROW_COUNT;
    IF v_updated < cardinality(v_deltas) THEN
        INSERT INTO tally (form_id, question, bucket, question_set, count)
        SELECT p_form_id, d.question, d.bucket, d.question_set, d.delta
        FROM unnest(v_questions, v_buckets, v_sets, v_deltas) AS d (question, bucket, question_set, delta)
        WHERE d.delta > 0
        ON CONFLICT DO NOTHING;
    END IF;
END
$$;
