import Domain
import Foundation
import Postgres

/// The pooled results of a series and the trends of its first questions, from one snapshot.
public struct SeriesOverview: Sendable {
    public var pooled: PooledRounds
    /// The trends, in the order of the pooled questions.
    public var trends: [Trend]
}

extension SeriesRounds {
    /// Returns the pooled results of the published rounds and the trends of the first `limit` questions. A page needs
    /// both; separate calls would read each of them in a separate transaction. Throws 422 if there is too much to read
    /// at once.
    public func overview(of seriesID: UUID, trends limit: Int) async throws -> SeriesOverview {
        try await reading(of: seriesID) { _, rounds, connection in
            try await countsByForm(of: nil, in: rounds, on: connection)
        } then: { found in
            let counts = try Self.countsByForm(found.counts)
            let history = try found.history.map(Self.readHistory)
            let trended = Array(found.pools.prefix(limit))
            try checkValues(trended, in: found.rounds)
            return SeriesOverview(
                pooled: Self.pooled(found, Self.sums(found, counts), history),
                trends: Self.trends(of: trended.map(\.question.key), in: found, counts, history))
        }
    }

    /// Reads the released counts of each question's buckets in each round, over all versions.
    func countsByForm(
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
    static func countsByForm(_ rows: Rows?) throws -> [String: [UUID: [String: Int]]] {
        var counts: [String: [UUID: [String: Int]]] = [:]
        guard let rows else { return counts }
        for row in rows {
            let (form, key, bucket, count) = try row.decode(UUID.self, String.self, String.self, Int.self)
            counts[key, default: [:]][form, default: [:]][bucket] = count
        }
        return counts
    }

    /// Returns the sums of the counts of each bucket over the rounds whose answers are counted together, by question.
    private static func sums(
        _ found: RawReading, _ counts: [String: [UUID: [String: Int]]]
    ) -> [String: [String: Int]] {
        let forms = Dictionary(found.rounds.map { ($0.round, $0.formID) }, uniquingKeysWith: { first, _ in first })
        var sums: [String: [String: Int]] = [:]
        for pool in found.pools {
            let leftOut = Set(pool.leftOut.compactMap { forms[$0] })
            for (form, counts) in counts[pool.question.key] ?? [:] where !leftOut.contains(form) {
                sums[pool.question.key, default: [:]].merge(counts, uniquingKeysWith: +)
            }
        }
        return sums
    }
}
