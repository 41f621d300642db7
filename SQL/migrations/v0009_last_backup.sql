-- When `afterword backup` last made a backup of this database. On Citus this table is local to the coordinator.
CREATE TABLE last_backup (
    -- Always true, so that there is at most one row.
    single boolean CONSTRAINT last_backup_pkey PRIMARY KEY DEFAULT true
        CONSTRAINT last_backup_single CHECK (single),
    finished_at timestamptz NOT NULL,
    bytes bigint NOT NULL CONSTRAINT last_backup_bytes_positive CHECK (bytes > 0)
);
