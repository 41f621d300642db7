import Foundation
import Postgres
import Store
import StrictJSON

extension TestService {
    public static let largeRows = 500

    /// A meeting with 20 MB of texts, far more than all buffers between the database and a client can hold.
    public func largeMeeting() async throws -> TestMeeting {
        let meeting = try await openMeeting(
            #"[{"key": "better", "kind": "text", "title": "What should change?", "maxLength": 10000}]"#)
        let text = JSONValue.string(String(repeating: "🎉", count: 10_000)).text
        try await meeting.submit("{\"better\": \(text)}").expect(201)
        // One submission is sent; the others are copies of it.
        try await sql(
            """
            INSERT INTO submission (form_id, id, version, answers, submitted_on, submitted_at)
            SELECT form_id, u.id, version, answers, submitted_on, submitted_at
            FROM submission s, unnest(\((2...Self.largeRows).map { _ in UUID() })) AS u (id)
            """)
        _ = try await fixture.store.verification.run(meeting: nil, repair: true) { _, _ in }
        return meeting
    }

    /// Returns once the export's statement waits for `event` or, if it is nil, once no such statement runs.
    public func untilExport(waitsFor event: String?) async throws {
        try await fixture.database.waitUntil(statementLike: Self.exportStatement, waitsFor: event)
    }

    /// Terminates the database connection of the export.
    public func cutExport() async throws {
        try await fixture.database.terminateConnections(runningStatementLike: Self.exportStatement)
    }

    private static let exportStatement = "COPY (SELECT s.id%FROM submission s%"

    /// Requests a table of submissions on a new connection, reads its beginning, and runs `body` once all buffers up to
    /// the database are full.
    public func readingSlowly<Value: Sendable>(
        _ path: String, _ body: (RawConnection.Client) async throws -> Value
    ) async throws -> Value {
        try await RawConnection.open(port: host.port, receiveBuffer: 16_384) { raw in
            try await raw.send(
                "GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                    + "Authorization: \(host.authorization ?? "")\r\n\r\n")
            _ = try await raw.read(until: "🎉")
            try await untilExport(waitsFor: "ClientWrite")
            return try await body(raw)
        }
    }
}
