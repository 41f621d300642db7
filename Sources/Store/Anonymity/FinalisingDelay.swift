import Foundation
import Postgres

/// Anonymous forms that have been finalising for more than an hour, and what they wait for. The command `doctor` shows
/// both.
public struct FinalisingDelay: Sendable {
    public var meetings: [UUID]
    /// The reasons as phrases; empty if none can be determined.
    public var reasons: [String]

    /// Returns nil if there are no such forms.
    ///
    /// - Parameter seconds: The time after which a finalising form, and a transaction that blocks it, is reported.
    public static func read(url: String, after seconds: Double = 3600) async throws -> FinalisingDelay? {
        try await Connection.with(PostgresConfiguration(url: url)) { try await read(after: seconds, on: $0) }
    }

    private static func read(after seconds: Double, on connection: Connection) async throws -> FinalisingDelay? {
        let meetings = try await connection.query(
            """
            SELECT f.meeting_id FROM form_state fs JOIN form f ON f.id = fs.form_id
            WHERE fs.anonymous AND fs.state = 'finalising'
                AND fs.finalising_since < now() - make_interval(secs => \(seconds))
            ORDER BY fs.finalising_since, f.id LIMIT 1000
            """
        ).map { row -> UUID in try row.decode(UUID.self) }
        guard !meetings.isEmpty else { return nil }
        var reasons: [String] = []
        if try await !TraceClearing.hasOwnerRole("MEMBER", on: connection) {
            reasons.append(TraceClearing.Obstacle.notOwner.rawValue)
        }
        reasons += try await VacuumBlockers.names(after: seconds, on: connection)
        let hidden = try await VacuumBlockers.hiddenSessionCount(on: connection)
        if hidden > 0 {
            reasons.append(
                "\(hidden) sessions of other users, whose transactions cannot be seen: GRANT pg_read_all_stats")
        }
        return FinalisingDelay(meetings: meetings, reasons: reasons)
    }
}
