-- When the trash and the answers of closed forms are deleted permanently.

-- The settings with which the service was last started. On Citus this is a reference table, because statements about
-- forms read it.
CREATE TABLE retention_settings (
    -- Always true, so that there is exactly one row.
    single boolean CONSTRAINT retention_settings_pkey PRIMARY KEY DEFAULT true
        CONSTRAINT retention_settings_single CHECK (single),
    trash_days integer NOT NULL DEFAULT 30
        CONSTRAINT retention_settings_trash_range CHECK (trash_days BETWEEN 1 AND 3650),
    -- The longest retention of any series, and that of a series without its own; null for none.
    limit_days integer CONSTRAINT retention_settings_limit_range CHECK (limit_days BETWEEN 7 AND 3650),
    -- Since when this limit is in force.
    limit_since timestamptz,
    CONSTRAINT retention_settings_limit_whole CHECK ((limit_days IS NULL) = (limit_since IS NULL))
);
INSERT INTO retention_settings DEFAULT VALUES;

-- When a series or meeting in the trash is deleted permanently. Set when it is moved there, so that a later change of
-- the setting does not change a date that hosts have seen.
ALTER TABLE meeting ADD COLUMN purges_at timestamptz;
ALTER TABLE series ADD COLUMN purges_at timestamptz;
-- How many days after a form closes its answers are deleted, and since when this is in force; null for never.
ALTER TABLE series ADD COLUMN retention_days integer;
ALTER TABLE series ADD COLUMN retention_since timestamptz;
ALTER TABLE series ADD CONSTRAINT series_retention_range CHECK (retention_days BETWEEN 7 AND 3650);
ALTER TABLE series ADD CONSTRAINT series_retention_whole CHECK ((retention_days IS NULL) = (retention_since IS NULL));
-- In UTC, because Citus refuses expressions that depend on the session's time zone.
UPDATE series SET purges_at = (deleted_at AT TIME ZONE 'UTC' + interval '30 days') AT TIME ZONE 'UTC'
WHERE deleted_at IS NOT NULL;
UPDATE meeting SET purges_at = (deleted_at AT TIME ZONE 'UTC' + interval '30 days') AT TIME ZONE 'UTC'
WHERE deleted_at IS NOT NULL;
DROP INDEX meeting_trash;
CREATE INDEX meeting_trash ON meeting (purges_at) WHERE purges_at IS NOT NULL;

-- The shortest earlier retention that the form has shown to participants. A longer one of the series does not apply.
ALTER TABLE form_state ADD COLUMN retention_days integer;
-- When the retention ended: from then on nobody reads the answers, and their rows are being deleted. When the last row
-- was deleted. The counts stay.
ALTER TABLE form_state ADD COLUMN answers_expired_at timestamptz;
ALTER TABLE form_state ADD COLUMN answers_deleted_at timestamptz;
