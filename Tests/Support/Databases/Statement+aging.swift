import Postgres

extension Statement {
    /// The time in a column less an interval. Computed in UTC, because Citus does not accept what depends on the time
    /// zone of the session in an UPDATE.
    public static func earlier(_ column: Statement, by interval: Statement) -> Statement {
        "(\(fragment: column) AT TIME ZONE 'UTC' - \(fragment: interval)) AT TIME ZONE 'UTC'"
    }
}
