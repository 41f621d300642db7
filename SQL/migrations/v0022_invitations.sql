-- The series that whoever uses an invitation is to work on, and as what. There is no foreign key: a series that is gone
-- by then is passed over.
ALTER TABLE invitation
    ADD COLUMN series_id uuid,
    ADD COLUMN role text,
    ADD CONSTRAINT invitation_role_known CHECK (role IN ('editor', 'viewer')),
    ADD CONSTRAINT invitation_series_whole CHECK ((series_id IS NULL) = (role IS NULL));
