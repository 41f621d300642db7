import Domain
import Foundation
import Postgres
import StrictJSON

/// A round of a series whose form was published.
public struct SeriesRound: Sendable {
    public var meetingID: UUID
    public var formID: UUID
    public var round: Int
    public var startsAt: Date?
    /// The day of the start in the meeting's own zone, `2026-11-05`.
    public var localDate: String?
    public var headcount: Int?
    public var attended: Int
    public var onceOnly: Bool
    public var tallies: FormTallies

    public var responseRate: ResponseRate? {
        ResponseRate(submissions: tallies.submissions, headcount: headcount, attended: attended, onceOnly: onceOnly)
    }
}

/// What may be shown of a form's questions: the newest version's in its order, then the retired ones.
public struct FormTallies: Sendable {
    /// Exact, whatever is withheld.
    public var submissions: Int
    public var withheld: FormResults.Withheld?
    public var questions: [RoundTally]
}

/// The rounds of a series with what they say, from the maintained tallies.
public struct SeriesRounds: Sendable {
    /// Rounds that are read at once.
    public static let most = 5_000
    /// Forms whose tallies are read with one statement.
    private static let page = 250

    let pool: Pool

    /// The published rounds, ascending; those of a period if one is given, and then no undated ones. More than can be
    /// read at once are a 422 that asks for a shorter period.
    ///
    /// - Parameter key: reads this question alone.
    public func list(
        of seriesID: UUID, from: Date? = nil, to: Date? = nil, question key: String? = nil
    ) async throws -> [SeriesRound] {
        try await pool.withConnection { connection in
            var rounds = try await Self.list(seriesID, from, to, on: connection)
            for start in stride(from: 0, to: rounds.count, by: Self.page) {
                let page = start..<min(start + Self.page, rounds.count)
                let tallies = try await Results.tallies(
                    of: rounds[page].map(\.formID), question: key, on: connection)
                for index in page {
                    if let found = tallies[rounds[index].formID] { rounds[index].tallies = found }
                }
            }
            return rounds
        }
    }

    /// The question as each published version of these forms asks it, in the order of the versions.
    public func versions(
        of formIDs: [UUID], question key: String
    ) async throws -> [UUID: [(version: Int, question: Question?)]] {
        let rows = try await pool.query(
            """
            SELECT v.form_id, v.version, jsonb_path_query_first(
                v.definition, '$.questions[*] ? (@.key == $key)', jsonb_build_object('key', \(key)::text))::text
            FROM form_version v WHERE v.form_id = ANY (\(formIDs)) ORDER BY v.form_id, v.version
            """)
        return try rows.reduce(into: [:]) { all, row in
            let (formID, version, definition) = try row.decode(UUID.self, Int.self, String?.self)
            all[formID, default: []].append((version, try definition.map { try Question(stored: $0) }))
        }
    }

    private static func list(
        _ seriesID: UUID, _ from: Date?, _ to: Date?, on connection: Connection
    ) async throws -> [SeriesRound] {
        let rows = try await connection.query(
            """
            SELECT m.id, f.id, m.round, m.starts_at, to_char(m.starts_at AT TIME ZONE m.time_zone, 'YYYY-MM-DD'),
                m.headcount, (SELECT count(*) FROM listed_attendee a
                    WHERE a.meeting_id = m.id AND a.status IN ('present', 'late')), fs.once_only
            FROM meeting m
            JOIN form f ON f.meeting_id = m.id
            JOIN form_state fs ON fs.form_id = f.id
            WHERE m.series_id = \(seriesID) AND m.deleted_at IS NULL AND f.version > 0
                AND (\(from)::timestamptz IS NULL OR m.starts_at >= \(from)::timestamptz)
                AND (\(to)::timestamptz IS NULL OR m.starts_at < \(to)::timestamptz)
            ORDER BY m.round LIMIT \(most + 1)
            """)
        guard rows.count <= most else {
            throw Problem([
                Fault(
                    .invalid, at: "?from", code: "too-many-rounds",
                    "At most \(most) rounds are read at once: give a shorter period by from and to.")
            ])
        }
        return try rows.map { row in
            var columns = Columns(row)
            return SeriesRound(
                meetingID: try columns.next(), formID: try columns.next(), round: try columns.next(),
                startsAt: try columns.next(), localDate: try columns.next(), headcount: try columns.next(),
                attended: try columns.next(), onceOnly: try columns.next(),
                tallies: FormTallies(submissions: 0, withheld: nil, questions: []))
        }
    }
}

extension Store {
    public var seriesRounds: SeriesRounds { SeriesRounds(pool: pool) }
}
