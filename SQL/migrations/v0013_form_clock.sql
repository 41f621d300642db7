-- What the clock does to forms. `told` is the state of which others were told last: events of an opening and a closing
-- are recorded once, by whoever settles it, the act or the clock. No submission changes it, nor anything that is
-- indexed here, so that the updates of ingest stay in their page.
ALTER TABLE form_state ADD COLUMN told text NOT NULL DEFAULT 'draft'
    CONSTRAINT form_state_told_known CHECK (told IN ('draft', 'scheduled', 'open', 'closed'));
-- What happened before is not told.
UPDATE form_state SET told = CASE form_life(state, opens_at, closes_at, grace_minutes, now())
    WHEN 'draft' THEN 'draft' WHEN 'scheduled' THEN 'scheduled' WHEN 'open' THEN 'open' ELSE 'closed' END;
-- The forms of which time will have something to tell, by the moment at which it will: next to nothing of the old ones.
-- (In UTC, because an index takes nothing that a session's time zone could change.)
CREATE INDEX form_state_due ON form_state (
    (CASE WHEN told = 'open' THEN (closes_at AT TIME ZONE 'UTC') + make_interval(mins => grace_minutes)
          ELSE coalesce(opens_at AT TIME ZONE 'UTC', '-infinity') END))
    WHERE state = 'open' AND NOT trashed AND told <> 'closed' AND (told <> 'open' OR closes_at IS NOT NULL);

-- When a draft publishes itself, as far as is known: null where it does not. The clock judges again under the lock.
ALTER TABLE form ADD COLUMN publishes_at timestamptz;
UPDATE form SET publishes_at = now() WHERE version = 0 AND definition->'autoPublish' = 'true';
CREATE INDEX form_publishes ON form (publishes_at) WHERE version = 0 AND publishes_at IS NOT NULL;
