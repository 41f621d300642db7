/// The schema's steps in their order; each file is embedded, so that the program needs no folder beside it.
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

    /// Append only: a step that was ever released is never edited, its checksum is in every database.
    public static let all: [Step] = [
        step(1, "roles", PackageResources.v0001_roles_sql),
        step(2, "people", PackageResources.v0002_people_sql),
        step(3, "meetings", PackageResources.v0003_meetings_sql),
        step(4, "forms", PackageResources.v0004_forms_sql),
        step(5, "answers", PackageResources.v0005_answers_sql),
        step(6, "storage", PackageResources.v0006_storage_sql),
        step(7, "form_life", PackageResources.v0007_form_life_sql),
        step(8, "ingest", PackageResources.v0008_ingest_sql),
        step(9, "accounts", PackageResources.v0009_accounts_sql),
        step(10, "mail", PackageResources.v0010_mail_sql),
        step(11, "rounds", PackageResources.v0011_rounds_sql),
        step(12, "roster", PackageResources.v0012_roster_sql),
        step(13, "form_clock", PackageResources.v0013_form_clock_sql),
        step(14, "webhooks", PackageResources.v0014_webhooks_sql),
        step(15, "live", PackageResources.v0015_live_sql),
        step(16, "sharing", PackageResources.v0016_sharing_sql),
        step(17, "finalising", PackageResources.v0017_finalising_sql),
        step(18, "filters", PackageResources.v0018_filters_sql),
        step(19, "text_pages", PackageResources.v0019_text_pages_sql),
        step(20, "seen_states", PackageResources.v0020_seen_states_sql),
        step(21, "steps", PackageResources.v0021_steps_sql),
        step(22, "invitations", PackageResources.v0022_invitations_sql),
        step(23, "totals", PackageResources.v0023_totals_sql),
        step(24, "attempts", PackageResources.v0024_attempts_sql),
        step(25, "sign_up_passwords", PackageResources.v0025_sign_up_passwords_sql),
        step(26, "walk_ins", PackageResources.v0026_walk_ins_sql),
    ]

    private static func step(_ number: Int, _ name: String, _ bytes: [UInt8]) -> Step {
        Step(number: number, name: name, sql: String(decoding: bytes, as: UTF8.self))
    }
}
