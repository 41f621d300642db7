-- Who else reads results. `released` are the keys of the texts that participants may read, null for none. They stand
-- beside the revision, so that one statement reads both and no result says of a revision what was true of another.
ALTER TABLE form_state ADD COLUMN released text[];

-- A link with which anyone reads one meeting's results for a while. Of its token only the SHA-256 is kept.
CREATE TABLE share (
    id uuid CONSTRAINT share_pkey PRIMARY KEY,
    meeting_id uuid NOT NULL CONSTRAINT share_meeting_known REFERENCES meeting (id),
    hash bytea NOT NULL CONSTRAINT share_hash_unique UNIQUE,
    -- For the hosts' own list.
    name text CONSTRAINT share_name_length CHECK (char_length(name) BETWEEN 1 AND 1000),
    created_by uuid NOT NULL CONSTRAINT share_maker_known REFERENCES account (id),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz
);
CREATE INDEX share_meeting ON share (meeting_id, id);
CREATE INDEX share_maker ON share (created_by);
