-- What filters of anonymous forms must know of the time before the close: which of the states shown while such a form was
-- open somebody saw, and between which of them each answer came (docs/analysis.md). A form becomes final without it.

-- A close has let out what it does, so that filters may exist and no state of before is shown any more.
ALTER TABLE form_state ADD COLUMN settled boolean NOT NULL DEFAULT false;
-- What a final form may be filtered by at most, where states of it were seen; null where none was.
ALTER TABLE form_state ADD COLUMN filterable text[];
UPDATE form_state SET settled = true WHERE told = 'closed' OR state IN ('closed', 'finalising', 'final');
-- What was seen before is not known: as good as everything, and such a form has no filters.
UPDATE form_state SET reopened = true WHERE anonymous AND submissions > 0;

-- How many submissions of its question set were pending when its answers came: what is shown of more has them. Of answers
-- that were before, and of a withdrawal, pairs of question set and step, the oldest first; of what went to another set a
-- second pair tells when.
ALTER TABLE submission ADD COLUMN step integer, ADD COLUMN former integer[];
-- Samples of the planner outlive the rows.
ALTER TABLE submission ALTER COLUMN step SET STATISTICS 0, ALTER COLUMN former SET STATISTICS 0;

-- States of a question set that were seen, by how many submissions were shown of it.
CREATE TABLE seen_state (
    form_id uuid NOT NULL,
    question_set integer NOT NULL,
    submissions bigint NOT NULL CONSTRAINT seen_state_positive CHECK (submissions > 0),
    CONSTRAINT seen_state_pkey PRIMARY KEY (form_id, question_set, submissions)
);

-- Keeps that these states are seen, before whoever asked for them gets them. False where a close has settled the form
-- meanwhile: then they come too late, and what is shown now has to be read. The lock is that of the salt's row, which
-- no submission takes; each statement sees what was committed before it.
CREATE FUNCTION keep_seen(p_form_id uuid, p_sets integer[], p_submissions bigint[])
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM unnest(p_sets, p_submissions) AS u (question_set, submissions)
        LEFT JOIN seen_state k ON k.form_id = p_form_id AND k.question_set = u.question_set
            AND k.submissions = u.submissions
        WHERE k.form_id IS NULL)
    THEN
        RETURN true;
    END IF;
    PERFORM 1 FROM form_salt x WHERE x.form_id = p_form_id FOR KEY SHARE;
    IF NOT FOUND OR NOT EXISTS (
        SELECT FROM form_state s WHERE s.form_id = p_form_id AND NOT s.settled AND NOT s.reopened)
    THEN
        RETURN false;
    END IF;
    INSERT INTO seen_state (form_id, question_set, submissions)
    SELECT p_form_id, u.question_set, u.submissions
    FROM unnest(p_sets, p_submissions) AS u (question_set, submissions)
    ORDER BY 2, 3
    ON CONFLICT DO NOTHING;
    RETURN true;
END
$$;

-- Remembers when a submission's answers came, before they are changed under the lock of their form: to those of a version,
-- or withdrawn (null).
CREATE FUNCTION leave_step(p_form_id uuid, p_id uuid, p_version integer) RETURNS void LANGUAGE plpgsql AS $$
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

-- As before; and a close waits for whoever is about to see a state of before, and ends that.
CREATE OR REPLACE FUNCTION move_shown(p_form_id uuid, p_closed boolean)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_minimum integer;
    v_ends boolean;
BEGIN
    SELECT s.minimum_group, NOT s.settled INTO v_minimum, v_ends
    FROM form_state s WHERE s.form_id = p_form_id FOR UPDATE;
    IF p_closed AND v_ends THEN
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

-- As before; and nothing is kept of steps.
CREATE OR REPLACE FUNCTION unlink_submissions(p_form_id uuid) RETURNS boolean LANGUAGE plpgsql
SET enable_seqscan = off
AS $$
DECLARE
    v_state text;
BEGIN
    SELECT s.state INTO v_state FROM form_state s WHERE s.form_id = p_form_id FOR UPDATE;
    IF v_state IS DISTINCT FROM 'finalising' THEN
        RETURN false;
    END IF;
    DELETE FROM form_salt WHERE form_id = p_form_id;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    -- Whoever leads a form here has chosen before; else nothing can be known any more.
    UPDATE form_state SET filterable = '{}'
    WHERE form_id = p_form_id AND filterable IS NULL
        AND EXISTS (SELECT FROM seen_state k WHERE k.form_id = p_form_id);
    DELETE FROM seen_state WHERE form_id = p_form_id;

    WITH gone AS MATERIALIZED (
        DELETE FROM submission s WHERE s.form_id = p_form_id RETURNING s.*
    ), kept AS MATERIALIZED (
        SELECT gen_random_uuid() AS fresh, coalesce(m.newest, g.version) AS version, g.answers, g.hidden,
            row_number() OVER (ORDER BY g.id) AS place
        FROM gone g LEFT JOIN (
            SELECT own.version, max(v.version) AS newest
            FROM form_version own JOIN form_version v
                ON v.form_id = own.form_id AND v.question_set = own.question_set
            WHERE own.form_id = p_form_id GROUP BY own.version
        ) m ON m.version = g.version
        WHERE NOT g.withdrawn
    ), days AS MATERIALIZED (
        SELECT g.submitted_on, row_number() OVER (ORDER BY gen_random_uuid()) AS place
        FROM gone g WHERE NOT g.withdrawn
    )
    INSERT INTO submission (form_id, id, version, answers, submitted_on, hidden)
    SELECT p_form_id, k.fresh, k.version, k.answers, d.submitted_on, k.hidden
    FROM kept k JOIN days d ON d.place = k.place
    ORDER BY k.fresh;

    WITH gone AS MATERIALIZED (
        DELETE FROM tally t WHERE t.form_id = p_form_id RETURNING t.*
    )
    INSERT INTO tally SELECT g.* FROM gone g ORDER BY g.question, g.bucket, g.question_set;
    RETURN true;
END
$$;
