-- What pages of texts are found by: newest first, whatever the order in which rows came, imported ones too. Not of
-- anonymous forms, which have no times: there an order of rows must not be kept anywhere.
CREATE INDEX submission_newest ON submission (form_id, submitted_at, id) WHERE submitted_at IS NOT NULL;
