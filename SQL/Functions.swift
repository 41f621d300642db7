/// The SQL functions, one file each. `Store.Migrator` reinstalls a function when its text changes.
public enum Functions {
    public struct Function: Sendable {
        public var name: String
        /// A `CREATE OR REPLACE FUNCTION` statement. To change the return type, a migration must drop the function
        /// first.
        public var sql: String

        public init(name: String, sql: String) {
            self.name = name
            self.sql = sql
        }
    }

    public static let all: [Function] = [
        function("form_state_at", PackageResources.form_state_at_sql),
        function("merge_tallies", PackageResources.merge_tallies_sql),
        function("has_changed_since", PackageResources.has_changed_since_sql),
        function("advance_release", PackageResources.advance_release_sql),
        function("record_release", PackageResources.record_release_sql),
        function("record_step", PackageResources.record_step_sql),
        function("unlink_submissions", PackageResources.unlink_submissions_sql),
        function("take_attempts", PackageResources.take_attempts_sql),
        function("ingest", PackageResources.ingest_sql),
        function("ingest_forms", PackageResources.ingest_forms_sql),
    ]

    private static func function(_ name: String, _ bytes: [UInt8]) -> Function {
        Function(name: name, sql: String(decoding: bytes, as: UTF8.self))
    }
}
