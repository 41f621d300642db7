-- Stores a batch of submissions to one form atomically, under the lock of the form's row. The clock is read after the
-- lock is acquired, so that no submission is accepted after an acknowledged close.
--
-- `p_ids`, `p_versions`, `p_answers`, `p_attendees`, `p_key_macs`, `p_body_macs` and `p_times` have one entry for each
-- row; an array whose entries are all null may be null itself. A row without an `Idempotency-Key` has no MACs.
-- `p_times` are the times of imported rows, null for the current time. Imported rows are refused only by forms that are
-- `anonymous`, `final` or `trashed`: a host who knows the rows that he adds would know the other answers by subtraction.
-- `p_questions` and `p_buckets` list the buckets of the batch; `p_totals` has the sum of each bucket and is passed only
-- if all ids are different. Each pair in `p_hits_row` and `p_hits_bucket` means that a row adds one to a bucket.
-- `p_attempt` is a random number of the batch. It stays the same if the batch is repeated after a lost connection.
--
-- Outcomes, one for each row: created, replayed (stored by another batch), unheard (stored by an earlier attempt of
-- this batch, whose response was lost), conflict, already-submitted, withdrawn, outdated, full, unknown, trashed,
-- anonymous, or the state of the form that caused the refusal.
--
-- In nearly every batch, the form is open, and all rows are new and answer one version. `v_all` is then true: no row is
-- examined individually, and counts are updated from the totals.
CREATE OR REPLACE FUNCTION ingest(
    p_form_id uuid, p_ids uuid[], p_versions integer[], p_answers text[], p_attendees uuid[],
    p_key_macs bytea[], p_body_macs bytea[], p_questions text[], p_buckets text[],
    p_hits_row integer[], p_hits_bucket integer[], p_imported boolean, p_times timestamptz[],
    p_totals bigint[] DEFAULT NULL, p_attempt integer DEFAULT NULL,
    OUT outcomes text[], OUT times timestamptz[], OUT at_revision bigint)
LANGUAGE plpgsql
-- Plans are cached for the session. A plan made while the tables were small would use sequential scans until the next
-- ANALYZE, although rows are always found by primary key; batches of 64 submissions then took 46 ms.
SET enable_seqscan = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    v form_state%ROWTYPE;
    v_now timestamptz;
    v_size integer := cardinality(p_ids);
    v_version integer := p_versions[1];
    v_set integer;
    v_all boolean;
    v_new boolean[];
    v_refusal text;
    v_room bigint;
    v_created bigint;
    v_unit text;
    v_sets integer[];
    v_closed boolean;
    v_stepping boolean;
    v_known_sets integer[];
    v_known_steps integer[];
    v_at timestamptz;
    v_counted integer;
BEGIN
    -- The lock of a large form is held for a long time while the form becomes final. So a form that is final, or is
    -- becoming final, is refused without waiting for its lock. The state of a final form never changes.
    SELECT s.* INTO v FROM form_state s
    WHERE s.form_id = p_form_id AND s.state NOT IN ('finalising', 'final') FOR UPDATE;
    IF NOT FOUND THEN
        SELECT array_fill(CASE WHEN count(*) > 0 THEN 'final' ELSE 'unknown' END, ARRAY[v_size]) INTO outcomes
        FROM form_state s WHERE s.form_id = p_form_id;
        RETURN;
    END IF;
    IF p_imported AND v.anonymous THEN
        outcomes := array_fill('anonymous'::text, ARRAY[v_size]);
        RETURN;
    END IF;
    v_now := clock_timestamp();
    -- Only imported rows are added to a closed form.
    v_closed := p_imported AND form_state_at(v.state, v.opens_at, v.closes_at, v.grace_minutes, v_now) = 'closed';
    IF v_closed AND v.minimum_group > 1 THEN
        -- Releases the counts that the close allows to be released, before the rows of this batch are added to them.
        PERFORM advance_release(p_form_id, true);
        SELECT s.* INTO v FROM form_state s WHERE s.form_id = p_form_id;
    END IF;
    v_unit := CASE WHEN v.anonymous THEN 'day' ELSE 'minute' END;
    v_at := CASE WHEN v.anonymous THEN date_trunc('day', v_now, 'UTC') ELSE v_now END;
    -- Filters of an anonymous form need to know between which released states each row arrived, so its step is stored.
    -- A form that was reopened has no filters.
    v_stepping := v.anonymous AND NOT v.reopened;
    at_revision := v.revision;
    outcomes := array_fill('created'::text, ARRAY[v_size]);
    times := array_fill(v_at, ARRAY[v_size]);
    -- Tallies are stored by the question set of the version that each row answers.
    SELECT f.question_set INTO v_set
    FROM form_version f WHERE f.form_id = p_form_id AND f.version = v_version AND NOT f.outdated;

    v_all := p_totals IS NOT NULL AND NOT p_imported AND v_set IS NOT NULL AND v_version = ALL (p_versions)
        AND NOT v.trashed AND form_state_at(v.state, v.opens_at, v.closes_at, v.grace_minutes, v_now) = 'open'
        AND (v.cap IS NULL OR v.cap - v.submissions >= v_size)
        AND NOT EXISTS (SELECT FROM submission s WHERE s.form_id = p_form_id AND s.id = ANY (p_ids));
    IF v_all THEN
        INSERT INTO submission (
            form_id, id, version, answers, submitted_on, submitted_at, attendee_id, key_mac, body_mac, step,
            attempt)
        SELECT p_form_id, u.id, v_version, u.answers::jsonb, (v_at AT TIME ZONE 'UTC')::date,
               CASE WHEN NOT v.anonymous THEN v_at END,
               CASE WHEN NOT v.anonymous THEN u.attendee END, u.key_mac, u.body_mac,
               CASE WHEN v_stepping
                    THEN coalesce((
                        SELECT t.pending::integer FROM tally t
                        WHERE t.form_id = p_form_id AND t.question = '' AND t.bucket = '#submissions'
                            AND t.question_set = v_set), 0) END,
               p_attempt
        FROM unnest(p_ids, p_answers, p_attendees, p_key_macs, p_body_macs)
            AS u (id, answers, attendee, key_mac, body_mac);

        IF cardinality(p_totals) > 100 THEN
            PERFORM merge_tallies(
                p_form_id, array_fill(v_version, ARRAY[cardinality(p_totals) + 1]), p_questions || ''::text,
                p_buckets || '#submissions'::text, p_totals || v_size::bigint);
        ELSE
            UPDATE tally AS t SET count = t.count + h.count
            FROM unnest(p_questions || ''::text, p_buckets || '#submissions'::text, p_totals || v_size::bigint)
                AS h (question, bucket, count)
            WHERE t.form_id = p_form_id AND t.question = h.question AND t.bucket = h.bucket AND t.question_set = v_set;
            GET DIAGNOSTICS v_counted = ROW_COUNT;
            IF v_counted <= cardinality(p_totals) THEN
                -- Buckets that are counted for the first time. The others have just been updated.
                INSERT INTO tally (form_id, question, bucket, question_set, count)
                SELECT p_form_id, h.question, h.bucket, v_set, h.count
                FROM unnest(p_questions || ''::text, p_buckets || '#submissions'::text, p_totals || v_size::bigint)
                    AS h (question, bucket, count)
                ORDER BY h.question, h.bucket
                ON CONFLICT DO NOTHING;
            END IF;
        END IF;
        UPDATE timeline AS t SET count = t.count + v_size
        WHERE t.form_id = p_form_id AND t.at = date_trunc(v_unit, v_now, 'UTC');
        IF NOT FOUND THEN
            INSERT INTO timeline (form_id, at, count) VALUES (p_form_id, date_trunc(v_unit, v_now, 'UTC'), v_size);
        END IF;
        UPDATE form_state SET submissions = form_state.submissions + v_size, revision = form_state.revision + 1,
            updated_at = v_at
        WHERE form_state.form_id = p_form_id;
        at_revision := v.revision + 1;
        IF v.minimum_group > 1 THEN
            PERFORM advance_release(p_form_id, false);
        END IF;
        RETURN;
    END IF;

    IF EXISTS (SELECT FROM submission s WHERE s.form_id = p_form_id AND s.id = ANY (p_ids))
        OR p_totals IS NULL AND (SELECT count(DISTINCT i) FROM unnest(p_ids) AS i) < v_size
    THEN
        -- Some ids are already stored or occur twice in this batch. A second occurrence is compared with the first.
        WITH known AS MATERIALIZED (
            SELECT s.id, s.withdrawn, s.key_mac, s.body_mac, s.attempt,
                   coalesce(s.submitted_at, s.submitted_on::timestamp AT TIME ZONE 'UTC') AS at
            FROM submission s
            WHERE s.form_id = p_form_id AND s.id = ANY (p_ids)
        ), offered AS (
            SELECT u.*, first_value(u.ordinal) OVER w AS first,
                   first_value(u.key_mac) OVER w AS first_key, first_value(u.body_mac) OVER w AS first_body
            FROM unnest(p_ids, p_key_macs, p_body_macs) WITH ORDINALITY AS u (id, key_mac, body_mac, ordinal)
            WINDOW w AS (PARTITION BY u.id ORDER BY u.ordinal)
        )
        SELECT array_agg(CASE
                WHEN k.id IS NULL AND o.ordinal = o.first THEN 'created'
                WHEN k.withdrawn THEN 'withdrawn'
                WHEN k.attempt = p_attempt AND o.ordinal = o.first AND k.key_mac IS NOT DISTINCT FROM o.key_mac
                    AND k.body_mac IS NOT DISTINCT FROM o.body_mac THEN 'unheard'
                -- A row without a key is never a repetition.
                WHEN o.key_mac IS NULL
                    OR o.key_mac IS DISTINCT FROM CASE WHEN k.id IS NULL THEN o.first_key ELSE k.key_mac END
                    THEN 'already-submitted'
                WHEN o.body_mac IS DISTINCT FROM CASE WHEN k.id IS NULL THEN o.first_body ELSE k.body_mac END
                    THEN 'conflict'
                ELSE 'replayed'
            END ORDER BY o.ordinal),
            array_agg(coalesce(k.at, times[o.ordinal]) ORDER BY o.ordinal)
        INTO outcomes, times
        FROM offered o LEFT JOIN known k ON k.id = o.id;
    END IF;

    IF v_set IS NOT NULL AND v_version = ALL (p_versions) THEN
        v_sets := array_fill(v_set, ARRAY[v_size]);
    ELSE
        SELECT array_agg(f.question_set ORDER BY u.ordinal) INTO v_sets
        FROM unnest(p_versions) WITH ORDINALITY AS u (version, ordinal)
        LEFT JOIN form_version f ON f.form_id = p_form_id AND f.version = u.version AND NOT f.outdated;
    END IF;
    IF array_position(v_sets, NULL) IS NOT NULL THEN
        -- Editors can read all personal links. They must not learn whether a person has answered an anonymous form.
        SELECT array_agg(CASE WHEN o.question_set IS NULL AND (o.outcome IN ('created', 'replayed')
                    OR v.anonymous AND o.attendee IS NOT NULL AND o.outcome IN ('already-submitted', 'withdrawn'))
                THEN 'outdated' ELSE o.outcome END ORDER BY o.ordinal)
        INTO outcomes
        FROM unnest(outcomes, v_sets, p_attendees) WITH ORDINALITY
            AS o (outcome, question_set, attendee, ordinal);
    END IF;

    IF v.trashed THEN
        v_refusal := 'trashed';
    ELSIF NOT p_imported THEN
        v_refusal := form_state_at(v.state, v.opens_at, v.closes_at, v.grace_minutes, v_now);
    END IF;
    v_room := CASE WHEN v_refusal <> 'open' THEN 0
                   WHEN p_imported THEN v_size
                   WHEN v.cap IS NULL THEN v_size
                   ELSE greatest(v.cap - v.submissions, 0) END;
    IF v_refusal = 'trashed' THEN
        outcomes := array_fill(v_refusal, ARRAY[v_size]);
    ELSIF v_room < v_size THEN
        -- The first rows are stored, up to the cap. A repeated row is refused for the same reason as the first one.
        SELECT array_agg(CASE
                WHEN o.outcome = 'created' AND o.turn > v_room THEN coalesce(nullif(v_refusal, 'open'), 'full')
                WHEN o.outcome = 'replayed' AND o.first_outcome = 'created' AND o.first_turn > v_room
                    THEN coalesce(nullif(v_refusal, 'open'), 'full')
                ELSE o.outcome
            END ORDER BY o.ordinal)
        INTO outcomes
        FROM (
            SELECT r.*, first_value(r.turn) OVER w AS first_turn, first_value(r.outcome) OVER w AS first_outcome
            FROM (
                SELECT u.*, count(*) FILTER (WHERE u.outcome = 'created') OVER (ORDER BY u.ordinal) AS turn
                FROM unnest(p_ids, outcomes) WITH ORDINALITY AS u (id, outcome, ordinal)
            ) r
            WINDOW w AS (PARTITION BY r.id ORDER BY r.ordinal)
        ) o;
    END IF;

    SELECT array_agg(u.outcome = 'created' ORDER BY u.ordinal), count(*) FILTER (WHERE u.outcome = 'created')
    INTO v_new, v_created
    FROM unnest(outcomes) WITH ORDINALITY AS u (outcome, ordinal);
    IF v_created = 0 THEN
        RETURN;
    END IF;
    IF p_imported THEN
        SELECT array_agg(coalesce(u.at, v_now) ORDER BY u.ordinal) INTO times
        FROM unnest(p_ids, p_times) WITH ORDINALITY AS u (id, at, ordinal);
    END IF;
    IF v_stepping THEN
        SELECT array_agg(t.question_set), array_agg(t.pending::integer) INTO v_known_sets, v_known_steps
        FROM tally t WHERE t.form_id = p_form_id AND t.question = '' AND t.bucket = '#submissions';
    END IF;
    INSERT INTO submission (
        form_id, id, version, answers, submitted_on, submitted_at, attendee_id, key_mac, body_mac, step,
        attempt)
    SELECT p_form_id, u.id, u.version, u.answers::jsonb, (u.at AT TIME ZONE 'UTC')::date,
           CASE WHEN NOT v.anonymous THEN u.at END,
           CASE WHEN NOT v.anonymous THEN u.attendee END, u.key_mac, u.body_mac,
           CASE WHEN v_stepping
                THEN coalesce(v_known_steps[array_position(v_known_sets, v_sets[u.ordinal])], 0) END,
           p_attempt
    FROM unnest(p_ids, p_versions, p_answers, times, p_attendees, p_key_macs, p_body_macs)
        WITH ORDINALITY AS u (id, version, answers, at, attendee, key_mac, body_mac, ordinal)
    WHERE v_new[u.ordinal];
    GET DIAGNOSTICS v_created = ROW_COUNT;

    INSERT INTO tally AS t (form_id, question, bucket, question_set, count)
    SELECT p_form_id, h.question, h.bucket, h.question_set, h.count
    FROM (
        SELECT b.question, b.bucket, c.question_set, c.count
        FROM (
            SELECT x.bucket, v_sets[x.row] AS question_set, count(*) AS count
            FROM unnest(p_hits_row, p_hits_bucket) AS x (row, bucket)
            WHERE v_new[x.row]
            GROUP BY 1, 2
        ) c
        JOIN unnest(p_questions, p_buckets) WITH ORDINALITY AS b (question, bucket, ordinal) ON b.ordinal = c.bucket
        UNION ALL
        SELECT '', '#submissions', u.question_set, count(*)
        FROM unnest(v_sets) WITH ORDINALITY AS u (question_set, ordinal)
        WHERE v_new[u.ordinal]
        GROUP BY 3
    ) h
    ORDER BY h.question, h.bucket, h.question_set
    ON CONFLICT (form_id, question, bucket, question_set) DO UPDATE SET count = t.count + excluded.count;

    INSERT INTO timeline AS t (form_id, at, count)
    SELECT p_form_id, date_trunc(v_unit, u.at, 'UTC'), count(*)
    FROM unnest(times) WITH ORDINALITY AS u (at, ordinal)
    WHERE v_new[u.ordinal]
    GROUP BY 2
    ORDER BY 2
    ON CONFLICT (form_id, at) DO UPDATE SET count = t.count + excluded.count;

    UPDATE form_state SET submissions = form_state.submissions + v_created, revision = form_state.revision + 1,
        updated_at = v_at
    WHERE form_state.form_id = p_form_id;
    at_revision := v.revision + 1;
    IF v.minimum_group > 1 THEN
        PERFORM advance_release(p_form_id, v_closed);
    END IF;
END
$$;
