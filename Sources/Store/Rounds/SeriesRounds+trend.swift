import Domain
import Foundation
import Postgres
import StrictJSON

extension SeriesRounds {
    /// The rows of one question in the rounds, before they are combined.
    private struct Found: Sendable {
        var rounds: [SeriesRound]
        /// The newest wording of the question in other rounds, if none of the rounds contains it.
        var elsewhere: Question?
        var states: Rows?
        var wordings: Rows?
        var counts: Rows?
        var history: Rows?
    }

    /// Reads the trend of one question over the published rounds. If a period is given, the trend contains only rounds
    /// that start in it, and no undated ones. Throws 422 for a key that no round of the series contains, and for more
    /// than can be read at once.
    ///
    /// - Parameter answer: Builds the response from the trend. Called on a separate thread.
    public func trend<T: Sendable>(
        of seriesID: UUID, question key: String, from: Date? = nil, to: Date? = nil,
        _ answer: @escaping @Sendable (Trend) throws -> T
    ) async throws -> T {
        try await readings.run(on: pool) { connection in
            let rounds = try await list(of: seriesID, from: from, to: to, on: connection)
            let formIDs = rounds.map(\.formID)
            let wordings = try await wordings(of: key, in: formIDs, on: connection)
            guard !wordings.isEmpty else {
                guard let elsewhere = try await newest(key, of: seriesID, on: connection) else {
                    throw Problem([
                        Fault(
                            .invalid, at: "?key", code: "unknown-key",
                            "No published round of the series contains this question.")
                    ])
                }
                let states = try await states(of: formIDs, on: connection)
                return Found(rounds: rounds, elsewhere: elsewhere, states: states)
            }
            return Found(
                rounds: rounds, states: try await states(of: formIDs, on: connection), wordings: wordings,
                counts: try await counts(of: key, in: formIDs, on: connection),
                history: try await history(of: rounds, question: key, on: connection))
        } showing: { found in
            try found.states.map(ShownState.all).map { $0.mapValues(\.snapshot) } ?? [:]
        } then: { found in
            try answer(try trend(found))
        }
    }

    /// Reads each wording of the question with the forms that use it.
    private func wordings(of key: String, in formIDs: [UUID], on connection: Connection) async throws -> Rows {
        let rows = try await connection.query(
            """
            WITH worded AS (
                SELECT q.definition, array_agg(q.form_id) AS forms
                FROM question q WHERE q.form_id = ANY (\(formIDs)) AND q.key = \(key)
                GROUP BY q.definition
            ), sized AS (
                SELECT w.*, sum(octet_length(w.definition::text)) OVER () AS bytes FROM worded w
            )
            SELECT CASE WHEN s.bytes <= \(bounds.wordingBytes) THEN s.definition END, s.forms FROM sized s
            """)
        if let first = rows.first, try first.decode(String?.self, at: 0) == nil {
            throw Self.tooMany("\(bounds.wordingBytes >> 20) MiB of questions in different wordings")
        }
        return rows
    }

    /// Reads the released counts of the question's buckets in each round, over all versions.
    private func counts(of key: String, in formIDs: [UUID], on connection: Connection) async throws -> Rows {
        let rows = try await connection.query(
            """
            SELECT t.form_id, t.bucket, sum(\(fragment: ShownState.shownCount))::bigint
            FROM form_state fs JOIN tally t ON t.form_id = fs.form_id
            WHERE fs.form_id = ANY (\(formIDs)) AND t.question = \(key)
            GROUP BY t.form_id, t.bucket LIMIT \(bounds.counts + 1)
            """)
        guard rows.count <= bounds.counts else { throw Self.tooMany("\(bounds.counts) counts of all rounds") }
        return rows
    }

    /// Returns the question as the newest round that contains it asks it.
    private func newest(_ key: String, of seriesID: UUID, on connection: Connection) async throws -> Question? {
        let rows = try await connection.query(
            """
            SELECT q.definition FROM meeting m
            JOIN form f ON f.meeting_id = m.id
            JOIN question q ON q.form_id = f.id AND q.key = \(key)
            WHERE m.series_id = \(seriesID) AND m.deleted_at IS NULL
            ORDER BY m.round DESC LIMIT 1
            """)
        return try rows.first.map { try Question(stored: $0.decode(String.self)) }
    }

    private func trend(_ found: Found) throws -> Trend {
        var rounds = found.rounds
        if let states = found.states { try rounds.apply(states) }
        var counts: [UUID: [String: Int]] = [:]
        if let rows = found.counts {
            for row in rows {
                let (form, bucket, count) = try row.decode(UUID.self, String.self, Int.self)
                counts[form, default: [:]][bucket] = count
            }
        }
        let history = try found.history.map(Self.readHistory)
        let trend = Self.trend(
            of: rounds, asking: try questionsByForm(found.wordings, in: rounds), counts: counts,
            fallback: found.elsewhere,
            versions: (history?.versions ?? []).map { ($0.round, $0.version, $0.questions.first) },
            isCut: history?.isCut ?? false)
        guard let trend else { throw Problem(.internalError, "A question is missing.") }
        return trend
    }

    /// Returns the trend of a question; nil if no round contains the question and there is no `fallback`.
    ///
    /// - Parameters:
    ///   - questions: The question in the wording of each form that contains it, by form.
    ///   - counts: The released counts of the question, by form and bucket.
    ///   - fallback: The wording of the question that is used if none of the rounds contains it.
    ///   - versions: The question in each version of the rounds' forms, in the order of publication.
    static func trend(
        of rounds: [SeriesRound], asking questions: [UUID: Question], counts: [UUID: [String: Int]],
        fallback: Question? = nil, versions: [(round: Int, version: Int, question: Question?)], isCut: Bool
    ) -> Trend? {
        let versions = Dictionary(grouping: versions, by: \.round)
        let points = rounds.map { round in
            Trend.Round(
                meetingID: round.meetingID, round: round.round, startsAt: round.startsAt, localDate: round.localDate,
                responseRate: round.responseRate?.rate,
                tally: questions[round.formID].map {
                    RoundTally(question: $0, counts: counts[round.formID] ?? [:], isShown: !round.isHidden)
                },
                versions: (versions[round.round] ?? []).map { ($0.version, $0.question) })
        }
        return Trend(of: points, fallback: fallback, isCut: isCut)
    }

    /// Throws 422 if a trend has more values than one response may contain.
    func checkValues(_ pools: [QuestionPool], in rounds: [SeriesRound]) throws {
        guard pools.allSatisfy({ $0.question.bucketCount * rounds.count <= bounds.values }) else {
            throw Self.tooMany("\(bounds.values) values")
        }
    }

    /// Decodes the question in the wording of each form, by form.
    ///
    /// - Parameter rows: The rows of `wordings`.
    private func questionsByForm(_ rows: Rows?, in rounds: [SeriesRound]) throws -> [UUID: Question] {
        var wordings: [Question] = []
        var indices: [UUID: Int] = [:]
        for row in rows.map(Array.init) ?? [] {
            let (definition, forms) = try row.decode(String.self, [UUID].self)
            for form in forms { indices[form] = wordings.count }
            wordings.append(try Question(stored: definition))
        }
        var newest: [Int] = []
        var seen: Set<Int> = []
        for round in rounds.reversed() {
            if let index = indices[round.formID], seen.insert(index).inserted { newest.append(index) }
        }
        let pool = QuestionPool.all(of: newest.map { .init(question: wordings[$0], rounds: []) }).first
        try checkValues(pool.map { [$0] } ?? [], in: rounds)
        return indices.mapValues { wordings[$0] }
    }
}
