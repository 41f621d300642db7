-- Counts one attempt under each key, unless one of them has used up its limit: `p_limits[i]` attempts within
-- `p_seconds[i]` seconds. In that case, counts nothing.
--
-- `waits` has the seconds until a used-up key allows another attempt, and null for the other keys. `lefts` has the
-- number of further attempts that each key allows now. Callers that pass several keys must pass them in the same order,
-- because each key is locked until the commit.
CREATE OR REPLACE FUNCTION take_attempts(
    p_keys bytea[], p_limits integer[], p_seconds integer[], OUT waits integer[], OUT lefts integer[])
LANGUAGE plpgsql AS $$
DECLARE
    v_now timestamptz := clock_timestamp();
    v_window interval;
    v_times timestamptz[];
    v_left integer;
BEGIN
    FOR i IN 1 .. cardinality(p_keys) LOOP
        v_window := make_interval(secs => p_seconds[i]);
        INSERT INTO attempt AS a (key, times, expires_at) VALUES (p_keys[i], ARRAY[v_now], v_now + v_window)
        ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at,
            times = ARRAY(SELECT t FROM unnest(a.times) AS t WHERE t > v_now - v_window ORDER BY t) || v_now
        RETURNING a.times INTO v_times;
        v_left := p_limits[i] - cardinality(v_times);
        waits[i] := CASE WHEN v_left < 0 THEN ceil(extract(epoch FROM v_times[1] + v_window - v_now)) END;
        lefts[i] := greatest(v_left, 0);
    END LOOP;
    IF cardinality(array_remove(waits, NULL)) > 0 THEN
        UPDATE attempt SET times = trim_array(times, 1) WHERE key = ANY (p_keys);
        FOR i IN 1 .. cardinality(p_keys) LOOP
            lefts[i] := CASE WHEN waits[i] IS NULL THEN lefts[i] + 1 ELSE 0 END;
        END LOOP;
    END IF;
    -- Limits the rows that an attack from many addresses adds before the next sweep.
    IF random() < 0.001 THEN
        DELETE FROM attempt WHERE key IN (
            SELECT a.key FROM attempt AS a ORDER BY a.expires_at DESC OFFSET 100000 FOR UPDATE SKIP LOCKED);
    END IF;
END
$$;
