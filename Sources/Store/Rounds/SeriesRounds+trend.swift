import Domain
import Foundation
import Postgres
import StrictJSON

extension SeriesRounds {
    /// The rows of a question, before they are combined.
    private struct Found: Sendable {
        var rounds: [SeriesRound]
        /// Its wording if none of the rounds contains it.
        var elsewhere: Question?
        var states: Rows?
        var wordings: Rows?
        var counts: Rows?
        var history: Rows?
    }

    /// Returns one question over the published rounds; of a period, if one is given, which excludes undated ones.
    /// Throws 422 for a key that no round of the series contains, and for more than can be read at once.
    ///
    /// - Parameter answer: Makes the response from it, on a separate thread.
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
                        Fault(.invalid, at: "?key", code: "unknown-key", "No published round of the series asks this.")
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

    /// Each wording with the forms that use it.
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
            SELECT CASE WHEN s.bytes <= \(bounds.words) THEN s.definition END, s.forms FROM sized s
            """)
        if let first = rows.first, try first.decode(String?.self, at: 0) == nil {
            throw Self.tooMany("\(bounds.words >> 20) MiB of questions in different words")
        }
        return rows
    }

    /// The released counts of each round's buckets, over all its versions.
    private func counts(of key: String, in formIDs: [UUID], on connection: Connection) async throws -> Rows {
        let rows = try await connection.query(
            """
            SELECT t.form_id, t.bucket, sum(\(fragment: ShownState.seen))::bigint
            FROM form_state fs JOIN tally t ON t.form_id = fs.form_id
            WHERE fs.form_id = ANY (\(formIDs)) AND t.question = \(key)
            GROUP BY t.form_id, t.bucket LIMIT \(bounds.counts + 1)
            """)
        guard rows.count <= bounds.counts else { throw Self.tooMany("\(bounds.counts) counts of all rounds") }
        return rows
    }

    /// The wording of the newest round that contains it.
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
        if let states = found.states { try rounds.take(states) }
        var counts: [UUID: [String: Int]] = [:]
        if let rows = found.counts {
            for row in rows {
                let (form, bucket, count) = try row.decode(UUID.self, String.self, Int.self)
                counts[form, default: [:]][bucket] = count
            }
        }
        let history = try found.history.map(Self.readHistory)
        let trend = Self.trend(
            of: rounds, asking: try asked(found.wordings, in: rounds), counts: counts, else: found.elsewhere,
            versions: (history?.versions ?? []).map { ($0.round, $0.version, $0.questions.first) },
            isCut: history?.isCut ?? false)
        guard let trend else { throw Problem(.internalError, "A question is missing.") }
        return trend
    }

    /// Returns nil if no round has the question.
    ///
    /// - Parameters:
    ///   - questions: The question in the wording of each form that has it.
    ///   - counts: Its released counts by form and bucket.
    ///   - elsewhere: Its wording if none of the rounds has it.
    ///   - versions: The question in each version of the rounds' forms, in the order of publication.
    static func trend(
        of rounds: [SeriesRound], asking questions: [UUID: Question], counts: [UUID: [String: Int]],
        else elsewhere: Question? = nil, versions: [(round: Int, version: Int, question: Question?)], isCut: Bool
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
        return Trend(of: points, else: elsewhere, isCut: isCut)
    }

    /// Throws 422 for trends of more numbers than may be in one response.
    func checkNumbers(_ pools: [QuestionPool], in rounds: [SeriesRound]) throws {
        guard pools.allSatisfy({ $0.question.bucketCount * rounds.count <= bounds.numbers }) else {
            throw Self.tooMany("\(bounds.numbers) numbers")
        }
    }

    /// The question in the wording of each form.
    ///
    /// - Parameter rows: The rows of `wordings`.
    private func asked(_ rows: Rows?, in rounds: [SeriesRound]) throws -> [UUID: Question] {
        var wordings: [Question] = []
        var places: [UUID: Int] = [:]
        for row in rows.map(Array.init) ?? [] {
            let (definition, forms) = try row.decode(String.self, [UUID].self)
            for form in forms { places[form] = wordings.count }
            wordings.append(try Question(stored: definition))
        }
        var newest: [Int] = []
        var seen: Set<Int> = []
        for round in rounds.reversed() {
            if let place = places[round.formID], seen.insert(place).inserted { newest.append(place) }
        }
        let pool = QuestionPool.all(of: newest.map { .init(question: wordings[$0], rounds: []) }).first
        try checkNumbers(pool.map { [$0] } ?? [], in: rounds)
        return places.mapValues { wordings[$0] }
    }
}
