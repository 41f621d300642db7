-- Stores the submissions of a batch to several forms in one call, which costs little more than a call of `ingest` for
-- one form. Stores the submissions to a form only in the common case: the form accepts all of them, and none is stored
-- yet. The caller passes the submissions of the other forms to `ingest`, which decides on each of them.
--
-- `p_forms` lists the forms in the order of their ids. `p_versions` has the version that all submissions to the form
-- answer, and `p_sizes` their number. The arrays from `p_row_forms` to `p_times` have one entry for each submission,
-- with its form as an ordinal of `p_forms`; an array whose entries are all null may be null itself. The ids of a form's
-- submissions are all different. Each entry of the arrays from `p_bucket_forms` to `p_totals` means that the
-- submissions to a form add this total to a bucket. Other parameters are those of `ingest`.
--
-- `stored` says for each form whether its submissions were stored, and `revisions` has its new revision. `times` has
-- one entry for each submission.
--
-- On Citus, `ingest` is called for each form instead, because one statement can't lock forms on several workers.
CREATE OR REPLACE FUNCTION ingest_forms(
    p_forms uuid[], p_versions integer[], p_sizes integer[],
    p_row_forms integer[], p_ids uuid[], p_answers text[], p_attendees uuid[], p_key_macs bytea[], p_body_macs bytea[],
    p_times timestamptz[],
    p_bucket_forms integer[], p_questions text[], p_buckets text[], p_totals bigint[],
    p_imported boolean, p_attempt integer,
    OUT stored boolean[], OUT times timestamptz[], OUT revisions bigint[])
LANGUAGE plpgsql
-- As for `ingest`, plans are cached for the session, and must find all rows by primary key. A plan made while the
-- tables were small would otherwise read whole tables for its joins.
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    v_now timestamptz;
    v_repeated integer[];
    v_anonymous boolean[];
    -- The question set of each form's version; null if the form's submissions are not stored here.
    v_sets integer[];
    v_steps integer[];
    -- The forms whose counts are released in groups.
    v_grouped uuid[];
    v_counted integer;
BEGIN
    PERFORM FROM form_state s
    WHERE s.form_id = ANY (p_forms) AND s.state NOT IN ('finalising', 'final')
    ORDER BY s.form_id FOR UPDATE;
    v_now := clock_timestamp();

    SELECT array_agg(r.form) INTO v_repeated
    FROM unnest(p_row_forms, p_ids) AS r (form, id)
    JOIN submission s ON s.form_id = p_forms[r.form] AND s.id = r.id;

    SELECT array_agg(coalesce(s.anonymous, false) ORDER BY f.ordinal),
           array_agg(v.question_set ORDER BY f.ordinal),
           array_agg(CASE WHEN s.anonymous AND NOT s.reopened THEN coalesce(t.pending, 0) END ORDER BY f.ordinal),
           array_agg(s.form_id) FILTER (WHERE v.question_set IS NOT NULL AND s.minimum_group > 1),
           array_agg(v.question_set IS NOT NULL ORDER BY f.ordinal),
           array_agg(s.revision + 1 ORDER BY f.ordinal)
    INTO v_anonymous, v_sets, v_steps, v_grouped, stored, revisions
    FROM unnest(p_forms, p_versions, p_sizes) WITH ORDINALITY AS f (form_id, version, size, ordinal)
    LEFT JOIN form_state s ON s.form_id = f.form_id AND s.state NOT IN ('finalising', 'final') AND NOT s.trashed
    LEFT JOIN form_version v ON v.form_id = s.form_id AND v.version = f.version AND NOT v.outdated
        AND (v_repeated IS NULL OR f.ordinal <> ALL (v_repeated))
        AND NOT (p_imported AND s.anonymous)
        AND CASE form_state_at(s.state, s.opens_at, s.closes_at, s.grace_minutes, v_now)
                WHEN 'open' THEN p_imported OR s.cap IS NULL OR s.cap - s.submissions >= f.size
                -- Before rows are added to a closed form, `ingest` releases the counts that the close allows.
                WHEN 'closed' THEN p_imported AND s.minimum_group = 1
                ELSE p_imported
            END
    LEFT JOIN tally t ON t.form_id = v.form_id AND t.question = '' AND t.bucket = '#submissions'
        AND t.question_set = v.question_set;
    IF NOT true = ANY (stored) THEN
        RETURN;
    END IF;

    SELECT array_agg(CASE WHEN v_anonymous[r.form] THEN date_trunc('day', coalesce(r.at, v_now), 'UTC')
                          ELSE coalesce(r.at, v_now) END ORDER BY r.ordinal)
    INTO times
    FROM unnest(p_row_forms, p_times) WITH ORDINALITY AS r (form, at, ordinal);
    INSERT INTO submission (
        form_id, id, version, answers, submitted_on, submitted_at, attendee_id, key_mac, body_mac, step,
        attempt)
    SELECT p_forms[r.form], r.id, p_versions[r.form], r.answers::jsonb, (r.at AT TIME ZONE 'UTC')::date,
           CASE WHEN NOT v_anonymous[r.form] THEN r.at END,
           CASE WHEN NOT v_anonymous[r.form] THEN r.attendee END, r.key_mac, r.body_mac, v_steps[r.form], p_attempt
    FROM unnest(p_row_forms, p_ids, p_answers, times, p_attendees, p_key_macs, p_body_macs)
        AS r (form, id, answers, at, attendee, key_mac, body_mac)
    WHERE stored[r.form];

    UPDATE tally AS t SET count = t.count + c.count
    FROM unnest(p_bucket_forms, p_questions, p_buckets, p_totals) AS c (form, question, bucket, count)
    WHERE t.form_id = p_forms[c.form] AND t.question = c.question AND t.bucket = c.bucket
        AND t.question_set = v_sets[c.form];
    GET DIAGNOSTICS v_counted = ROW_COUNT;
    IF v_counted < cardinality(p_totals) THEN
        -- Buckets that are counted for the first time. The others have just been updated.
        INSERT INTO tally (form_id, question, bucket, question_set, count)
        SELECT p_forms[c.form], c.question, c.bucket, v_sets[c.form], c.count
        FROM unnest(p_bucket_forms, p_questions, p_buckets, p_totals) AS c (form, question, bucket, count)
        WHERE stored[c.form]
        ORDER BY c.form, c.question, c.bucket
        ON CONFLICT DO NOTHING;
    END IF;
    INSERT INTO timeline AS t (form_id, at, count)
    SELECT p_forms[r.form], date_trunc(CASE WHEN v_anonymous[r.form] THEN 'day' ELSE 'minute' END, r.at, 'UTC'), count(*)
    FROM unnest(p_row_forms, times) AS r (form, at)
    WHERE stored[r.form]
    GROUP BY 1, 2
    ORDER BY 1, 2
    ON CONFLICT (form_id, at) DO UPDATE SET count = t.count + excluded.count;
    UPDATE form_state AS s SET submissions = s.submissions + f.size, revision = s.revision + 1,
        updated_at = CASE WHEN s.anonymous THEN date_trunc('day', v_now, 'UTC') ELSE v_now END
    FROM unnest(p_forms, p_sizes, stored) AS f (form_id, size, is_stored)
    WHERE s.form_id = f.form_id AND f.is_stored;
    PERFORM advance_release(g.form_id, false) FROM unnest(v_grouped) AS g (form_id);
END
$$;
