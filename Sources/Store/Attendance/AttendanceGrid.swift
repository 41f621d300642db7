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
    /// By name. Of more than `maxPeople`, those of the newest rounds.
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
    /// Reads the grid of a series for an account. The caller has checked that the account may see names and addresses.
    ///
    /// Of more people than the grid shows, those of the newest rounds are chosen first, by their addresses, so that long
    /// lists need not be sorted. Throws 503 if other readings take too long.
    public func grid(of seriesID: UUID, for accountID: UUID) async throws -> AttendanceGrid {
        try await readings.run(for: accountID) { connection in
            let rounds = try await Self.gridRounds(of: seriesID, on: connection)
            let rows = try await connection.query(
                """
                WITH listed AS (
                    SELECT r.round, a.email FROM unnest(\(rounds.map(\.id)), \(rounds.map(\.round))) AS r (id, round)
                    CROSS JOIN LATERAL (
                        SELECT email FROM listed_attendee WHERE meeting_id = r.id AND email IS NOT NULL
                        ORDER BY email LIMIT \(AttendanceGrid.maxPeople + 1)
                    ) a
                ), shown AS (
                    SELECT email FROM listed GROUP BY email ORDER BY max(round) DESC, email
                    LIMIT \(AttendanceGrid.maxPeople + 1)
                ), entries AS (
                    SELECT first_value(a.email) OVER newest AS email, first_value(a.name) OVER newest AS name,
                        a.meeting_id, \(fragment: Attendee.status) AS status
                    FROM shown s JOIN listed_attendee a ON a.email = s.email
                        AND a.meeting_id = ANY (\(rounds.map(\.id)))
                        JOIN meeting m ON m.id = a.meeting_id
                    WINDOW newest AS (PARTITION BY a.email ORDER BY m.round DESC)
                )
                SELECT email::text, name, meeting_id, status FROM entries ORDER BY lower(left(name, 40)), email
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
        } showing: { _ in
            [:]
        } then: {
            $0
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
