-- Whether the check-in code brought somebody onto the list who was not on it: they are limited in number, and can be
-- removed together. A host who edits the person or puts them on the roster vouches for them.
ALTER TABLE attendee ADD COLUMN walk_in boolean NOT NULL DEFAULT false;
CREATE INDEX attendee_walk_in ON attendee (meeting_id, checked_in_at) WHERE walk_in AND removed_at IS NULL;
