import Domain
import Foundation
import Postgres
import StrictJSON

extension SeriesRounds {
    /// Reads the trend of one question over the published rounds. If a period is given, the trend contains only rounds
    /// that start in it, and no undated ones. Throws 422 for a key that no round of the series contains, and if there
    /// is too much to read at once.
    ///
    /// - Parameter render: Builds the response from the trend. Called on a separate thread.
    public func trend<T: Sendable>(
        of seriesID: UUID, question key: String, from: Date? = nil, to: Date? = nil,
        _ render: @escaping @Sendable (Trend) throws -> T
    ) async throws -> T {
        try await run { connection in
            let rounds = try await list(of: seriesID, from: from, to: to, on: connection)
            let (wordings, pools) = try await self.wordings(in: rounds, of: [key], on: connection)
            let states = try await states(of: rounds.map(\.formID), on: connection)
            guard !wordings.isEmpty else {
                guard let elsewhere = try await newest(key, of: seriesID, on: connection) else {
                    throw Problem(
                        invalid: "?key", code: "unknown-key",
                        "No published round of the series contains this question.")
                }
                return RawReading(rounds: rounds, elsewhere: elsewhere, states: states)
            }
            return RawReading(
                rounds: rounds, wordings: wordings, pools: pools, states: states,
                counts: try await countsByForm(of: [key], in: rounds, on: connection),
                history: try await history(of: rounds, question: key, on: connection))
        } then: { found in
            try checkValues(found.pools, in: found.rounds)
            let trends = Self.trends(
                of: [key], in: found, try Self.countsByForm(found.counts), try found.history.map(Self.readHistory))
            guard let trend = trends.first else { throw Problem(.internalError, "A question is missing.") }
            return try render(trend)
        }
    }

    /// Returns the question in the wording of the newest round that contains it.
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

    /// Returns the trends of these questions. Omits questions that no round contains, unless `found` has a wording from
    /// another round.
    ///
    /// - Parameter counts: The released counts, by question, form and bucket.
    static func trends(
        of keys: [String], in found: RawReading, _ counts: [String: [UUID: [String: Int]]], _ history: SeriesHistory?
    ) -> [Trend] {
        let versions = Dictionary(grouping: history?.versions ?? [], by: \.round)
        let wordings = Dictionary(grouping: found.wordings, by: \.question.key)
        return keys.compactMap { key -> Trend? in
            var questions: [Int: Question] = [:]
            for wording in wordings[key] ?? [] {
                for round in wording.rounds { questions[round] = wording.question }
            }
            let points = found.rounds.map { round in
                Trend.Round(
                    meetingID: round.meetingID, round: round.round, startsAt: round.startsAt,
                    localDate: round.localDate, responseRate: round.responseRate?.rate,
                    room: round.room,
                    tally: questions[round.round].map {
                        RoundTally(
                            question: $0, counts: counts[key]?[round.formID] ?? [:], isShown: !round.isHidden)
                    },
                    versions: (versions[round.round] ?? []).map { version in
                        (version.version, version.questions.first { $0.key == key })
                    })
            }
            return Trend(of: points, fallback: found.elsewhere, isTruncated: history?.isTruncated ?? false)
        }
    }

    /// Throws 422 if a trend has more values than one response may contain.
    func checkValues(_ pools: [QuestionPool], in rounds: [SeriesRound]) throws {
        guard pools.allSatisfy({ $0.question.bucketCount * rounds.count <= bounds.values }) else {
            throw Self.tooMany("\(bounds.values) values")
        }
    }
}
