/// The migrations that create the tables, in order. Their files are embedded in the program.
public enum Migrations {
    public struct Step: Sendable {
        public var number: Int
        public var name: String
        public var sql: String

        public init(number: Int, name: String, sql: String) {
            self.number = number
            self.name = name
            self.sql = sql
        }
    }

    /// Append only: a released step is never edited, because every database stores its checksum.
    public static let all: [Step] = [
        step(1, "roles", PackageResources.v0001_roles_sql),
        step(2, "accounts", PackageResources.v0002_accounts_sql),
        step(3, "meetings_rounds", PackageResources.v0003_meetings_rounds_sql),
        step(4, "forms", PackageResources.v0004_forms_sql),
        step(5, "submissions", PackageResources.v0005_submissions_sql),
        step(6, "release", PackageResources.v0006_release_sql),
        step(7, "attendance", PackageResources.v0007_attendance_sql),
        step(8, "mail_webhooks", PackageResources.v0008_mail_webhooks_sql),
        step(9, "last_backup", PackageResources.v0009_last_backup_sql),
        step(10, "protected_tables", PackageResources.v0010_protected_tables_sql),
        step(11, "confirmed_sessions", PackageResources.v0011_confirmed_sessions_sql),
        step(12, "expiring_secrets", PackageResources.v0012_expiring_secrets_sql),
        step(13, "retention", PackageResources.v0013_retention_sql),
        step(14, "disclosing_questions", PackageResources.v0014_disclosing_questions_sql),
        step(15, "attempts", PackageResources.v0015_attempts_sql),
        step(16, "organisation", PackageResources.v0016_organisation_sql),
        step(17, "saved_templates", PackageResources.v0017_saved_templates_sql),
        step(18, "form_pictures", PackageResources.v0018_form_pictures_sql),
        step(19, "session_devices", PackageResources.v0019_session_devices_sql),
        step(20, "text_marks", PackageResources.v0020_text_marks_sql),
        step(21, "decisions_pauses", PackageResources.v0021_decisions_pauses_sql),
        step(22, "mails_at_close", PackageResources.v0022_mails_at_close_sql),
        step(23, "weekly_digest", PackageResources.v0023_weekly_digest_sql),
    ]

    private static func step(_ number: Int, _ name: String, _ bytes: [UInt8]) -> Step {
        Step(number: number, name: name, sql: String(decoding: bytes, as: UTF8.self))
    }
}
