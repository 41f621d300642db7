import Domain
import Foundation
import Postgres
import StrictJSON
import TestSupport

@testable import Store

extension TestStore {
    /// Sets the retention of a meeting's series; nil for none.
    func setRetention(_ days: Int?, of meeting: Meeting, by principal: Principal? = nil) async throws {
        let change = try SeriesChange.read(.object([.init("retentionDays", JSONValue(days))]))
        _ = try await store.series.change(meeting.seriesID, change, by: principal ?? host) { _ in }
    }

    /// Moves back the times at which retentions took effect, as if `days` days had passed.
    func ageRetentions(days: Int) async throws {
        let interval: Statement = "make_interval(days => \(Int32(days)))"
        try await store.pool.execute(
            "UPDATE series SET retention_since = \(fragment: .earlier("retention_since", by: interval))")
        try await store.pool.execute(
            "UPDATE retention_settings SET limit_since = \(fragment: .earlier("limit_since", by: interval))")
    }

    /// Moves the close of a form back by this number of days.
    func ageClose(of meeting: Meeting, days: Double) async throws {
        try await store.pool.execute(
            """
            UPDATE form_state SET closed_at = \(fragment: .earlier("closed_at", by: "\(days)::float8 * interval '1 day'"))
            WHERE form_id = \(meeting.form.id)
            """)
    }

    /// A meeting with three answers and a closed form.
    func closedMeeting(settings: String? = nil) async throws -> Meeting {
        let meeting = try await openMeeting(settings: settings)
        for pace in 3...5 { _ = try await submit("{\"pace\": \(pace), \"better\": \"text \(pace)\"}", to: meeting) }
        _ = try await store.forms.close(meetingID: meeting.id, by: host.account.id)
        return try await store.meetings.require(meeting.id, by: host)
    }

    /// The retention of a meeting's form.
    func retention(of meeting: Meeting) async throws -> Form.Retention {
        try await store.forms.require(meetingID: meeting.id).retention
    }

    /// The number of a form's stored rows, including withdrawn submissions.
    func rows(of meeting: Meeting) async throws -> Int {
        try await store.pool.query("SELECT count(*) FROM submission WHERE form_id = \(meeting.form.id)")
            .single().decode(Int.self)
    }

    /// The details of the audit rows of an action.
    func audited(_ action: String) async throws -> [String?] {
        try await store.pool.query("SELECT detail FROM audit WHERE act = \(action) ORDER BY id").map { row in
            try row.decode(String?.self)
        }
    }
}
