/// The functions of the schema, one file each. `Store.Migrator` installs a function again whenever its text changes.
public enum Functions {
    public struct Function: Sendable {
        public var name: String
        /// `CREATE OR REPLACE FUNCTION name(…)`. A change of the type that it returns needs a migration that drops the function.
        public var sql: String

        public init(name: String, sql: String) {
            self.name = name
            self.sql = sql
        }
    }

    public static let all: [Function] = [
        function("form_life", PackageResources.form_life_sql),
        function("merge_tallies", PackageResources.merge_tallies_sql),
        function("move_shown", PackageResources.move_shown_sql),
        function("keep_seen", PackageResources.keep_seen_sql),
        function("leave_step", PackageResources.leave_step_sql),
        function("unlink_submissions", PackageResources.unlink_submissions_sql),
        function("ingest", PackageResources.ingest_sql),
    ]

    private static func function(_ name: String, _ bytes: [UInt8]) -> Function {
        Function(name: name, sql: String(decoding: bytes, as: UTF8.self))
    }
}
