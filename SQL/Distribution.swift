/// How the tables and functions are distributed over the servers of a Citus cluster (docs/data-model.md). A migration
/// that creates a table adds it to one of the lists.
public enum Distribution {
    /// Control tables, copied to each server. A table follows those to which its foreign keys refer.
    public static let referenceTables = [
        "account", "credential", "account_picture", "retention_settings", "series", "series_host", "meeting",
        "attendee", "image", "meeting_image", "meeting_decisions", "member", "join_code", "person", "share", "form",
        "form_version", "question", "webhook", "saved_template",
    ]

    /// Data tables. The rows of a form, of all these tables, are on one server. `submission` is the first, and the
    /// others are colocated with it.
    public static let dataTables = ["submission", "form_state", "form_salt", "tally", "timeline", "seen_state"]

    /// Tables that stay on the coordinator. They have no foreign keys.
    public static let localTables = [
        "token", "live_ticket", "audit", "idempotency", "secret_key", "schema_migration", "schema_function",
        "invitation", "registration", "password_reset", "attempt", "outbox", "daily_mail_count", "webhook_state",
        "webhook_delivery", "webhook_result", "last_backup", "organisation",
    ]

    /// The column by which data tables are distributed.
    public static let key = "form_id"

    /// The functions over data tables. A call runs on the server that has the rows of its first argument, `p_form_id`.
    public static let functions = [
        "merge_tallies", "has_changed_since", "advance_release", "record_release", "record_step", "unlink_submissions",
        "ingest",
    ]

    /// The functions that statements call on any server.
    public static let helpers = ["form_state_at"]
}
