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
    /// The day of the start in the meeting's own time zone, `2026-11-05`.
    public var localDate: String?
    public var headcount: Int?
    public var attended: Int
    /// The people on the list who have not checked in.
    public var unseen: Int
    public var onceOnly: Bool
    /// The form's published version, and the revision of its results.
    var version: Int
    var revision: Int
    /// The exact number of submissions, including withheld ones.
    public var submissions = 0
    public var withheld: FormResults.Withheld?
    /// Whether there are submissions but none may be shown.
    public var isHidden = false

    /// The people of the round. Nil if their number is unknown.
    public var room: Room? {
        Room(attended: attended, listed: unseen, headcount: headcount, submissions: submissions, onceOnly: onceOnly)
    }

    public var responseRate: ResponseRate? {
        ResponseRate(submissions: submissions, headcount: headcount, attended: attended, onceOnly: onceOnly)
    }
}

/// Limits for one reading over the rounds of a series.
struct RoundBounds: Sendable {
    var rounds = 5_000
    /// The number of questions in all rounds.
    var questions = 100_000
    /// The number of counts in all rounds.
    var counts = 500_000
    /// The number of values in one response.
    var values = 100_000
    /// The size in bytes of the questions in all their wordings.
    var wordingBytes = 4 << 20
    /// The number of form versions that are compared, in all rounds. A host can publish any number.
    var versions = 6_000
    /// The size in bytes of the compared versions, as stored in the database.
    var versionBytes = 16 << 20
    /// The size in bytes of the versions that differ from the version before.
    var changedVersionBytes = 4 << 20
}

/// Reads the results of a series' rounds from the maintained tallies.
public struct SeriesRounds: Sendable {
    let pool: Pool
    let readings: RoundReadings
    var bounds = RoundBounds()
    /// The account for which the rounds are read. Nil if it is the service itself.
    var accountID: UUID?

    /// The problem for a request that needs more than can be read at once.
    static func tooMany(_ what: String) -> Problem {
        Problem(
            invalid: "?from", code: "too-many-rounds",
            "At most \(what) are read at once; choose a shorter period with from and to.")
    }

    /// The rows of one reading, before they are combined.
    struct RawReading: Sendable {
        var rounds: [SeriesRound]
        var wordings: [QuestionPool.Wording] = []
        var pools: [QuestionPool] = []
        /// For a trend: the newest wording of the question in other rounds, if none of the rounds contains it.
        var elsewhere: Question?
        var states: Rows?
        var counts: Rows?
        var history: Rows?
    }

    /// Runs a reading, applies the rounds' states, and calls `render` with the result on a separate thread.
    func run<T: Sendable>(
        _ read: @Sendable (Connection) async throws -> RawReading,
        then render: @escaping @Sendable (RawReading) throws -> T
    ) async throws -> T {
        try await readings.run(for: accountID, read) { found in
            try found.states.map(ShownState.all).map { $0.mapValues(\.snapshot) } ?? [:]
        } then: { found in
            var found = found
            if let states = found.states { try found.rounds.apply(states) }
            return try render(found)
        }
    }

    /// Returns the published rounds, ascending. If a period is given, returns only rounds that start in it, and no
    /// undated ones.
    ///
    /// - Parameters:
    ///   - last: Returns only rounds up to this one.
    ///   - count: Returns at most this number of these rounds, the newest.
    func list(
        of seriesID: UUID, from: Date? = nil, to: Date? = nil, upTo last: Int? = nil, newest count: Int? = nil,
        on connection: Connection
    ) async throws -> [SeriesRound] {
        let rows = try await connection.query(
            """
            SELECT m.id, f.id, m.round, m.starts_at, to_char(m.starts_at AT TIME ZONE m.time_zone, 'YYYY-MM-DD'),
                m.headcount, (SELECT count(*) FROM listed_attendee a
                    WHERE a.meeting_id = m.id AND a.status IN ('present', 'late')),
                (SELECT count(*) FROM listed_attendee a WHERE a.meeting_id = m.id AND a.status = 'expected'),
                fs.once_only,
                f.version, fs.revision
            FROM meeting m
            JOIN form f ON f.meeting_id = m.id
            JOIN form_state fs ON fs.form_id = f.id
            WHERE m.series_id = \(seriesID) AND m.deleted_at IS NULL AND f.version > 0
                AND (\(from)::timestamptz IS NULL OR m.starts_at >= \(from)::timestamptz)
                AND (\(to)::timestamptz IS NULL OR m.starts_at < \(to)::timestamptz)
                AND (\(last)::integer IS NULL OR m.round <= \(last)::integer)
            ORDER BY m.round DESC LIMIT \(count ?? bounds.rounds + 1)
            """)
        guard rows.count <= bounds.rounds else { throw Self.tooMany("\(bounds.rounds) rounds") }
        return try rows.reversed().map { row in
            var columns = Columns(row)
            return SeriesRound(
                meetingID: try columns.next(), formID: try columns.next(), round: try columns.next(),
                startsAt: try columns.next(), localDate: try columns.next(), headcount: try columns.next(),
                attended: try columns.next(), unseen: try columns.next(), onceOnly: try columns.next(),
                version: try columns.next(), revision: try columns.next())
        }
    }

    /// Reads the states that determine which counts of each form may be shown. Call this method in the transaction in
    /// which the tallies are read.
    func states(of formIDs: [UUID], on connection: Connection) async throws -> Rows {
        try await connection.query(
            """
            SELECT fs.form_id, \(fragment: ShownState.columns), t.bucket, t.question_set, t.count, t.shown
            FROM form_state fs LEFT JOIN tally t ON t.form_id = fs.form_id AND \(fragment: ShownState.countsSubmissions)
            WHERE fs.form_id = ANY (\(formIDs))
            """)
    }
}

extension Store {
    /// The results of rounds for an account, which reads one of them at a time.
    public func seriesRounds(for accountID: UUID) -> SeriesRounds {
        SeriesRounds(pool: pool, readings: roundReadings, accountID: accountID)
    }
}

extension ShownState {
    /// Decodes the states, by form.
    ///
    /// - Parameter rows: The rows of `SeriesRounds.states`.
    static func all(in rows: Rows) throws -> [UUID: ShownState] {
        var states: [UUID: ShownState] = [:]
        for row in rows {
            var columns = Columns(row)
            let formID: UUID = try columns.next()
            let state = try ShownState.read(&columns)
            guard let bucket = try columns.next(String?.self) else {
                states[formID] = state
                continue
            }
            states[formID, default: state].add(
                bucket: bucket, questionSet: try columns.next(), count: try columns.next(), shown: try columns.next())
        }
        return states
    }
}

extension [SeriesRound] {
    /// Sets the numbers that depend on the forms' states.
    ///
    /// - Parameter rows: The rows of `SeriesRounds.states`.
    mutating func apply(_ rows: Rows) throws {
        let states = try ShownState.all(in: rows)
        for index in indices {
            guard let state = states[self[index].formID] else { continue }
            self[index].submissions = state.submissions
            self[index].withheld = state.withheld
            self[index].isHidden = state.isHidden
        }
    }
}

extension SeriesRounds {
    /// Reads the newest form versions of these rounds whose questions differ from those of the previous version, in the
    /// order of rounds and versions.
    ///
    /// - Parameter key: Compares only this question. Nil for all questions.
    func history(of rounds: [SeriesRound], question key: String? = nil, on connection: Connection)
        async throws -> Rows
    {
        let asked: Statement =
            if let key {
                """
                jsonb_path_query_array(u.definition,
                    '$.questions[*] ? (@.key == $key || @.statements[*].key == $key)',
                    jsonb_build_object('key', \(key)::text))
                """
            } else {
                "u.definition->'questions'"
            }
        return try await connection.query(
            """
            WITH newest AS MATERIALIZED (
                SELECT r.round, v.version, v.definition,
                    row_number() OVER newer AS place, sum(pg_column_size(v.definition)) OVER newer AS bytes
                FROM unnest(\(rounds.map(\.formID)), \(rounds.map(\.round))) AS r (form_id, round)
                JOIN form_version v ON v.form_id = r.form_id
                WINDOW newer AS (ORDER BY r.round DESC, v.version DESC)
                ORDER BY r.round DESC, v.version DESC LIMIT \(bounds.versions + 1)
            ), used AS (
                SELECT * FROM newest WHERE place <= \(bounds.versions) AND (bytes <= \(bounds.versionBytes) OR place = 1)
            ), compared AS (
                SELECT u.round, u.version, \(fragment: asked) AS asked,
                    lag(\(fragment: asked)) OVER (ORDER BY u.round, u.version) AS before
                FROM used u
            ), changed AS (
                SELECT t.round, t.version, t.asked,
                    sum(octet_length(t.asked::text)) OVER (ORDER BY t.round DESC, t.version DESC) AS bytes,
                    row_number() OVER (ORDER BY t.round DESC, t.version DESC) AS place
                FROM compared t WHERE t.asked IS DISTINCT FROM t.before
            )
            SELECT c.round, c.version, c.asked,
                (SELECT count(*) FROM newest) > (SELECT count(*) FROM used)
                    OR (SELECT max(o.bytes) FROM changed o) > \(bounds.changedVersionBytes)
            FROM changed c WHERE c.bytes <= \(bounds.changedVersionBytes) OR c.place = 1 ORDER BY c.round, c.version
            """)
    }

    /// Decodes the versions.
    ///
    /// - Parameter rows: The rows of `history`.
    static func readHistory(_ rows: Rows) throws -> SeriesHistory {
        var history = SeriesHistory(versions: [], isTruncated: false)
        for row in rows {
            let (round, version, asked, isTruncated) = try row.decode(Int.self, Int.self, String.self, Bool.self)
            // Only some of the version's questions, so that their conditions may name others.
            let questions = try Question.some(stored: StoredJSON.parse(asked))
            history.versions.append(SeriesHistory.Version(round: round, version: version, questions: questions))
            history.isTruncated = isTruncated
        }
        return history
    }
}
