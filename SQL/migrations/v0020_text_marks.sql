-- Stars and tags that hosts give to texts. They are part of the row of the answers, as `hidden` is, so that they are
-- deleted and made unlinkable with it.

-- An object with a member for each marked question: `{"better": {"star": true, "tags": ["room"]}}`. Null if no text of
-- the submission is marked.
ALTER TABLE submission ADD COLUMN marks jsonb;
ALTER TABLE submission
    ADD CONSTRAINT submission_withdrawn_unmarked CHECK (NOT withdrawn OR marks IS NULL);
ALTER TABLE submission ALTER COLUMN marks SET STATISTICS 0;
-- Few submissions are marked. Their tags are counted, and listed, without reading the others.
CREATE INDEX submission_marked ON submission (form_id, id) WHERE marks IS NOT NULL;
