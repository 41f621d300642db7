-- What filters of anonymous forms must know of the past: such a form has taken answers again after a close, so that
-- readings of before and after could be compared. It is never taken back, and no submission reads or writes it.
ALTER TABLE form_state ADD COLUMN reopened boolean NOT NULL DEFAULT false;
-- What happened before is not known.
UPDATE form_state SET reopened = true WHERE anonymous AND submissions > 0;
