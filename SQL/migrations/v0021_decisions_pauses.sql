-- What hosts decided at a meeting, in the order in which they noted it. The next rounds of the series show it. The items
-- are read and replaced together: `[{"text": "…", "question": "better", "done": true, "shown": true}]`.
CREATE TABLE meeting_decisions (
    meeting_id uuid CONSTRAINT meeting_decisions_pkey PRIMARY KEY
        CONSTRAINT meeting_decisions_meeting_known REFERENCES meeting (id),
    items jsonb NOT NULL CONSTRAINT meeting_decisions_items_count CHECK (jsonb_array_length(items) <= 20),
    -- Compared with `If-Match`.
    revision bigint NOT NULL DEFAULT 1
);

-- A paused webhook gets no new deliveries, and those that wait are not tried.
ALTER TABLE webhook ADD COLUMN paused_at timestamptz;
