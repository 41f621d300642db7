import Foundation
import Postgres
import Store
import StrictJSON

extension TestService {
    /// The events of one tick of the clock over all forms, such as `["opened", "closed"]`.
    public func tick() async throws -> [String] { try await fixture.store.clock.tick().map { "\($0.event)" } }

    /// Moves the opening and closing times of a form back by this number of minutes, as if that time had passed.
    public func passTime(_ minutes: Double, for meeting: TestMeeting) async throws {
        let interval: Statement = "\(minutes)::float8 * interval '1 minute'"
        try await sql(
            """
            UPDATE form_state AS fs SET opens_at = \(fragment: .earlier("fs.opens_at", by: interval)),
                closes_at = \(fragment: .earlier("fs.closes_at", by: interval))
            FROM form f WHERE f.id = fs.form_id AND f.meeting_id = \(UUID(uuidString: meeting.id))
            """)
    }

    /// The state of a form when events were last published for it.
    public func publishedState(of meeting: TestMeeting) async throws -> String {
        let rows = try await fixture.store.pool.query(
            """
            SELECT fs.notified FROM form_state fs JOIN form f ON f.id = fs.form_id
            WHERE f.meeting_id = \(UUID(uuidString: meeting.id))
            """)
        guard let state: String = try rows.first?.decode(String.self) else { throw TestStore.Missing("a form") }
        return state
    }

    /// The accounts and details of the audit rows of an action.
    public func auditTrail(of action: String) async throws -> [(account: UUID?, detail: String?)] {
        try await fixture.store.pool.query(
            "SELECT account_id, detail FROM audit WHERE act = \(action) ORDER BY id"
        ).map { row in
            let (account, detail) = try row.decode(UUID?.self, String?.self)
            return (account, detail)
        }
    }
}

extension TestMeeting {
    /// Changes the times of the meeting to these numbers of minutes from now.
    @discardableResult
    public func move(from start: Double, to end: Double) async throws -> HTTPTestClient.Response {
        let times = [start, end].map { RFC3339.format(Date(timeIntervalSinceNow: $0 * 60)) }
        let json = "{\"startsAt\": \"\(times[0])\", \"endsAt\": \"\(times[1])\"}"
        return try await host.send("PATCH", path, body: Array(json.utf8), headers: ["If-Match": "*"]).expect(200)
    }

    public func state() async throws -> String { try await form().expect(200).string("state") }
}
