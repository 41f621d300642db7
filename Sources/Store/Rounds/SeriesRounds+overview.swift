import Domain
import Foundation
import Postgres

/// The pooled results of a series and the trends of its first questions, from one snapshot.
public struct SeriesOverview: Sendable {
    public var pooled: PooledRounds
    /// In the order of the pooled questions.
    public var trends: [Trend]
}

extension SeriesRounds {
    /// The rows of several questions in all rounds, before they are combined.
    private struct Found: Sendable {
        var rounds: [SeriesRound]
        var wordings: [QuestionPool.Wording] = []
        var pools: [QuestionPool] = []
        var states: Rows?
        var counts: Rows?
        var history: Rows?
    }

    /// Returns the pooled results of the published rounds and the trends of the first `limit` questions. A page needs
    /// both; separate calls would read each of them in a separate transaction. Throws 422 for more than can be read at
    /// once.
    public func overview(of seriesID: UUID, trends limit: Int) async throws -> SeriesOverview {
        try await reading(seriesID, nil) { found in
            let counts = try Self.countsByForm(found.counts)
            let history = try found.history.map(Self.readHistory)
            let changes = history?.changes(of: found.pools.map(\.question.key))
            let trended = Array(found.pools.prefix(limit))
            try checkValues(trended, in: found.rounds)
            return SeriesOverview(
                pooled: PooledRounds(
                    rounds: found.rounds, questions: Self.pooled(found, counts), changes: changes?.list ?? [],
                    isCut: changes?.isCut ?? false),
                trends: Self.trends(of: trended.map(\.question.key), in: found, counts, history))
        }
    }

    /// Returns the trends of these questions, without the changes between versions. Omits questions that no published
    /// round contains. Throws 422 for more than can be read at once.
    public func trends(of seriesID: UUID, questions keys: [String]) async throws -> [Trend] {
        guard !keys.isEmpty else { return [] }
        return try await reading(seriesID, keys) { found in
            try checkValues(found.pools, in: found.rounds)
            return Self.trends(of: keys, in: found, try Self.countsByForm(found.counts), nil)
        }
    }

    /// - Parameter keys: Reads only these questions, without their history. Nil for all questions.
    private func reading<T: Sendable>(
        _ seriesID: UUID, _ keys: [String]?, _ answer: @escaping @Sendable (Found) throws -> T
    ) async throws -> T {
        try await readings.run(on: pool) { connection in
            let rounds = try await list(of: seriesID, from: nil, to: nil, on: connection)
            guard !rounds.isEmpty else { return Found(rounds: []) }
            if keys == nil { try await checkSize(rounds, on: connection) }
            let rows = try await wordings(in: rounds, of: keys, on: connection)
            let (wordings, pools) = try await readings.compute {
                let wordings = try Self.read(rows)
                return (wordings, QuestionPool.all(of: wordings))
            }
            guard pools.reduce(0, { $0 + $1.question.bucketCount }) <= bounds.values else {
                throw Self.tooMany("\(bounds.values) different options and ratings")
            }
            return Found(
                rounds: rounds, wordings: wordings, pools: pools,
                states: try await states(of: rounds.map(\.formID), on: connection),
                counts: try await countsByForm(of: keys, in: rounds, on: connection),
                history: keys == nil ? try await history(of: rounds, on: connection) : nil)
        } showing: { found in
            try found.states.map(ShownState.all).map { $0.mapValues(\.snapshot) } ?? [:]
        } then: { found in
            var found = found
            if let states = found.states { try found.rounds.apply(states) }
            return try answer(found)
        }
    }

    /// Reads the released counts of each question's buckets in each round, over all versions.
    private func countsByForm(
        of keys: [String]?, in rounds: [SeriesRound], on connection: Connection
    ) async throws -> Rows {
        let rows = try await connection.query(
            """
            SELECT t.form_id, t.question, t.bucket, sum(\(fragment: ShownState.shownCount))::bigint
            FROM form_state fs JOIN tally t ON t.form_id = fs.form_id
            WHERE fs.form_id = ANY (\(rounds.map(\.formID))) AND t.question <> ''
                AND (\(keys)::text[] IS NULL OR t.question = ANY (\(keys)))
            GROUP BY t.form_id, t.question, t.bucket LIMIT \(bounds.counts + 1)
            """)
        guard rounds.count == 1 || rows.count <= bounds.counts else {
            throw Self.tooMany("\(bounds.counts) counts of all rounds")
        }
        return rows
    }

    /// Decodes the counts, by question, form and bucket.
    private static func countsByForm(_ rows: Rows?) throws -> [String: [UUID: [String: Int]]] {
        var counts: [String: [UUID: [String: Int]]] = [:]
        guard let rows else { return counts }
        for row in rows {
            let (form, key, bucket, count) = try row.decode(UUID.self, String.self, String.self, Int.self)
            counts[key, default: [:]][form, default: [:]][bucket] = count
        }
        return counts
    }

    private static func pooled(
        _ found: Found, _ counts: [String: [UUID: [String: Int]]]
    ) -> [PooledQuestion] {
        let forms = Dictionary(found.rounds.map { ($0.round, $0.formID) }, uniquingKeysWith: { first, _ in first })
        let hidden = Set(found.rounds.filter(\.isHidden).map(\.round))
        return found.pools.map { pool in
            let leftOut = Set(pool.leftOut.compactMap { forms[$0] })
            let sums = (counts[pool.question.key] ?? [:]).filter { !leftOut.contains($0.key) }.values
                .reduce(into: [String: Int]()) { $0.merge($1, uniquingKeysWith: +) }
            return pool.counted(sums, hidden: hidden)
        }
    }

    private static func trends(
        of keys: [String], in found: Found, _ counts: [String: [UUID: [String: Int]]], _ history: SeriesHistory?
    ) -> [Trend] {
        let forms = Dictionary(found.rounds.map { ($0.round, $0.formID) }, uniquingKeysWith: { first, _ in first })
        let wordings = Dictionary(grouping: found.wordings, by: \.question.key)
        return keys.compactMap { key in
            var questions: [UUID: Question] = [:]
            for wording in wordings[key] ?? [] {
                for form in wording.rounds.compactMap({ forms[$0] }) { questions[form] = wording.question }
            }
            return trend(
                of: found.rounds, asking: questions, counts: counts[key] ?? [:],
                versions: (history?.versions ?? []).map { version in
                    (version.round, version.version, version.questions.first { $0.key == key })
                }, isCut: history?.isCut ?? false)
        }
    }
}
