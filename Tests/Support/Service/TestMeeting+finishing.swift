import Foundation
import Postgres
import Store

extension TestMeeting {
    /// Finishes the form and returns its final body; repeats the request until finalising is complete.
    @discardableResult
    public func finish() async throws -> HTTPTestClient.Response {
        let deadline = ContinuousClock.now + .seconds(100)
        while .now < deadline {
            let response = try await perform("finish").expect(200)
            if try response.string("state") == "final" { return response }
        }
        throw TestStore.Missing("a final form")
    }

    /// A subquery for the id of the form in the database.
    public var formID: Statement { "(SELECT f.id FROM form f WHERE f.meeting_id = \(UUID(uuidString: id)))" }
}

extension TestService {
    /// A connection as the superuser of the database, for tables that only the owner can read.
    public func superuserConnection() async throws -> Connection {
        try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
    }

    /// Locks the form's row of `form_state` or `form_salt` in the transaction of a connection.
    public func lock(_ table: String, of meeting: TestMeeting, on holder: Connection) async throws {
        let rows = try await holder.query("SELECT id FROM form WHERE meeting_id = \(UUID(uuidString: meeting.id))")
        let id = try rows.single().decode(UUID.self)
        try await holder.query("SELECT FROM \(identifier: table) WHERE form_id = \(id) FOR UPDATE")
    }

    /// The state of the form as stored.
    public func storedState(of meeting: TestMeeting) async throws -> String {
        let rows = try await fixture.store.pool.query(
            "SELECT state FROM form_state WHERE form_id = \(fragment: meeting.formID)")
        guard let row = rows.first else { throw TestStore.Missing("a form") }
        return try row.decode(String.self)
    }
}
