-- Returns the state of a form at the time `p_at`: `draft`, `scheduled`, `open`, `closed`, `finalising` or `final`.
-- Implements the same rule as `FormLife.state(at:)` in Domain, for decisions under the form's lock, but returns
-- `finalising` where `FormLife` returns `closed`. Written in PL/pgSQL, because its plan is cached for the session; an
-- SQL function would be parsed again at each call of ingest.
CREATE OR REPLACE FUNCTION form_state_at(
    p_state text, p_opens_at timestamptz, p_closes_at timestamptz, p_grace_minutes integer, p_at timestamptz)
RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN CASE
        WHEN p_state <> 'open' THEN p_state
        WHEN p_closes_at IS NOT NULL AND p_at >= p_closes_at + make_interval(mins => p_grace_minutes) THEN 'closed'
        WHEN p_opens_at IS NOT NULL AND p_at < p_opens_at THEN 'scheduled'
        ELSE 'open'
    END;
END
$$;
