-- Which questions the filters of an anonymous form must not show.

-- The questions that no filter of a final form shows, because together with earlier states that were read they would
-- disclose the answers of a small group. Null if none were read.
ALTER TABLE form_state ADD COLUMN disclosing text[];
-- Of forms that became final before this column, this is not known any more.
UPDATE form_state SET filterable = '{}' WHERE filterable IS NOT NULL;
