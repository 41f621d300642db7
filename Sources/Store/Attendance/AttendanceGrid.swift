import Domain
import Foundation
import Postgres

/// Who came to the newest rounds of a series: people by rounds.
public struct AttendanceGrid: Sendable {
    /// The maximum number of rounds and of people.
    public static let (maxRounds, maxPeople) = (12, 200)

    public struct Round: Sendable {
        public var id: UUID
        public var round: Int
        public var title: String
        public var startsAt: Date?
        public var timeZone: String
        /// Everybody on the list of the round counts, including people without an address.
        public var counts: AttendanceCounts
    }

    public struct Person: Sendable {
        /// As on the newest of the rounds with this person.
        public var name: String
        public var email: String
        /// The status by the round's id. Rounds on whose list the person is not are missing.
        public var statuses: [UUID: AttendanceStatus]

        /// The rounds of the grid in which the person was on the list.
        public var counts: AttendanceCounts {
            statuses.values.reduce(into: AttendanceCounts()) { $0.add($1) }
        }
    }

    /// Rounds that have begun or that a person has attended, the oldest first.
    public var rounds: [Round]
    /// By name.
    public var people: [Person]
    /// Whether there are more people.
    public var hasMorePeople: Bool
}

/// How many people attended, or how many rounds one person attended.
public struct AttendanceCounts: Sendable, Equatable {
    public var attended = 0
    public var absent = 0

    public init(attended: Int = 0, absent: Int = 0) { (self.attended, self.absent) = (attended, absent) }

    /// Present and late of those who were to come. Nil if nobody was. People who are still expected do not count.
    public var rate: Double? {
        attended + absent > 0 ? Double(attended) / Double(attended + absent) : nil
    }

    mutating func add(_ status: AttendanceStatus) {
        switch status {
        case .present, .late: attended += 1
        case .absent: absent += 1
        case .expected: break
        }
    }
}

extension Attendees {
    /// Reads the grid of a series. The caller has checked that the reader may see names and addresses.
    public func grid(of seriesID: UUID) async throws -> AttendanceGrid {
        try await pool.transaction { connection in
            let rounds = try await Self.gridRounds(of: seriesID, on: connection)
            let ids = rounds.map(\.id)
            let rows = try await connection.query(
                """
                WITH people AS (
                    SELECT DISTINCT ON (a.email) a.email, a.name
                    FROM listed_attendee a JOIN meeting m ON m.id = a.meeting_id
                    WHERE a.meeting_id = ANY (\(ids)) AND a.email IS NOT NULL ORDER BY a.email, m.round DESC
                ), shown AS (
                    SELECT p.email, p.name, lower(left(p.name, 40)) AS sort_key FROM people p
                    ORDER BY sort_key, p.email LIMIT \(AttendanceGrid.maxPeople + 1)
                )
                SELECT s.email::text, s.name, a.meeting_id, \(fragment: Attendee.status)
                FROM shown s JOIN listed_attendee a ON a.email = s.email AND a.meeting_id = ANY (\(ids))
                    JOIN meeting m ON m.id = a.meeting_id
                ORDER BY s.sort_key, s.email
                """)
            var people: [AttendanceGrid.Person] = []
            for row in rows {
                let (email, name, meetingID, status) = try row.decode(String.self, String.self, UUID.self, String.self)
                if people.last?.email != email { people.append(.init(name: name, email: email, statuses: [:])) }
                people[people.count - 1].statuses[meetingID] = AttendanceStatus(rawValue: status)
            }
            return AttendanceGrid(
                rounds: rounds, people: Array(people.prefix(AttendanceGrid.maxPeople)),
                hasMorePeople: people.count > AttendanceGrid.maxPeople)
        }
    }

    private static func gridRounds(
        of seriesID: UUID, on connection: Connection
    ) async throws -> [AttendanceGrid.Round] {
        let rows = try await connection.query(
            """
            SELECT m.id, m.round, m.title, m.starts_at, m.time_zone,
                count(*) FILTER (WHERE a.status IN ('present', 'late')),
                count(*) FILTER (WHERE a.status = 'expected' AND m.ends_at <= clock_timestamp())
            FROM meeting m JOIN listed_attendee a ON a.meeting_id = m.id
            WHERE m.series_id = \(seriesID) AND m.deleted_at IS NULL
            GROUP BY m.id
            HAVING m.starts_at <= clock_timestamp() OR count(*) FILTER (WHERE a.status IN ('present', 'late')) > 0
            ORDER BY m.round DESC LIMIT \(AttendanceGrid.maxRounds)
            """)
        return try rows.map { row in
            let (id, round, title, startsAt, zone, attended, absent) = try row.decode(
                UUID.self, Int.self, String.self, Date?.self, String.self, Int.self, Int.self)
            return AttendanceGrid.Round(
                id: id, round: round, title: title, startsAt: startsAt, timeZone: zone,
                counts: AttendanceCounts(attended: attended, absent: absent))
        }.reversed()
    }
}
