import Domain
import Foundation
import Postgres
import StrictJSON

/// The pooled results of a series' rounds.
public struct PooledRounds: Sendable {
    public var rounds: [SeriesRound]
    public var questions: [PooledQuestion]
    /// The differences between the rounds' questions, the oldest first.
    public var changes: [SeriesHistory.Change]
    /// Whether there are older changes that `changes` does not contain.
    public var isTruncated: Bool
}

extension SeriesRounds {
    /// Pools the results of the published rounds. If a period is given, only rounds that start in it are pooled, and no
    /// undated ones. Throws 422 if there is too much to read at once.
    ///
    /// - Parameter render: Builds the response from the pooled results. Called on a separate thread.
    public func pooled<T: Sendable>(
        of seriesID: UUID, from: Date? = nil, to: Date? = nil, _ render: @escaping @Sendable (PooledRounds) throws -> T
    ) async throws -> T {
        try await reading(of: seriesID, from: from, to: to) { pools, rounds, connection in
            try await sums(of: pools, in: rounds, on: connection)
        } then: { found in
            var sums: [String: [String: Int]] = [:]
            if let rows = found.counts {
                for row in rows {
                    let (key, bucket, count) = try row.decode(String.self, String.self, Int.self)
                    sums[key, default: [:]][bucket] = count
                }
            }
            return try render(Self.pooled(found, sums, try found.history.map(Self.readHistory)))
        }
    }

    /// Combines the rows of a reading into the pooled results.
    ///
    /// - Parameter sums: The sums of the released counts of each bucket, by question, over the rounds whose answers are
    ///   counted together.
    static func pooled(
        _ found: RawReading, _ sums: [String: [String: Int]], _ history: SeriesHistory?
    ) -> PooledRounds {
        let hidden = Set(found.rounds.filter(\.isHidden).map(\.round))
        let changes = history?.changes(of: found.pools.map(\.question.key))
        return PooledRounds(
            rounds: found.rounds,
            questions: found.pools.map { $0.counted(sums[$0.question.key] ?? [:], hidden: hidden) },
            changes: changes?.list ?? [], isTruncated: changes?.isTruncated ?? false)
    }

    /// Reads the questions of the published rounds with their counts.
    ///
    /// - Parameters:
    ///   - last: Reads only rounds up to this one.
    ///   - count: Reads at most this number of these rounds, the newest.
    ///   - keys: Reads only these questions, without their history. Nil for all questions.
    ///   - counts: Reads the counts of the pooled questions in the rounds.
    func reading<T: Sendable>(
        of seriesID: UUID, from: Date? = nil, to: Date? = nil, upTo last: Int? = nil, newest count: Int? = nil,
        questions keys: [String]? = nil,
        counting counts: @Sendable ([QuestionPool], [SeriesRound], Connection) async throws -> Rows,
        then render: @escaping @Sendable (RawReading) throws -> T
    ) async throws -> T {
        try await run { connection in
            let rounds = try await list(
                of: seriesID, from: from, to: to, upTo: last, newest: count, on: connection)
            guard !rounds.isEmpty else { return RawReading(rounds: []) }
            if keys == nil { try await checkSize(rounds, on: connection) }
            let (wordings, pools) = try await self.wordings(in: rounds, of: keys, on: connection)
            guard pools.reduce(0, { $0 + $1.question.bucketCount }) <= bounds.values else {
                throw Self.tooMany("\(bounds.values) different options and ratings")
            }
            return RawReading(
                rounds: rounds, wordings: wordings, pools: pools,
                states: try await states(of: rounds.map(\.formID), on: connection),
                counts: try await counts(pools, rounds, connection),
                history: keys == nil ? try await history(of: rounds, on: connection) : nil)
        } then: {
            try render($0)
        }
    }

    /// Throws 422 if the rounds have too many questions or counts. A single round is always read, like the results of
    /// one meeting.
    private func checkSize(_ rounds: [SeriesRound], on connection: Connection) async throws {
        guard rounds.count > 1 else { return }
        let formIDs = rounds.map(\.formID)
        let (questions, counts) = try await connection.query(
            """
            SELECT (SELECT count(*) FROM (
                    SELECT 1 FROM question q WHERE q.form_id = ANY (\(formIDs)) LIMIT \(bounds.questions + 1)) n),
                (SELECT count(*) FROM (
                    SELECT 1 FROM tally t WHERE t.form_id = ANY (\(formIDs)) LIMIT \(bounds.counts + 1)) n)
            """
        ).single().decode(Int.self, Int.self)
        guard questions <= bounds.questions else { throw Self.tooMany("\(bounds.questions) questions of all rounds") }
        guard counts <= bounds.counts else { throw Self.tooMany("\(bounds.counts) counts of all rounds") }
    }

    /// Reads each question in each of its wordings. The wordings of newer rounds are first; within a round, the
    /// questions are in the order of its form, and retired ones are last. Also returns the pools of the questions. The
    /// transaction waits while the rows are decoded on a separate thread.
    ///
    /// - Parameter keys: Reads only these questions. Nil for all questions.
    func wordings(
        in rounds: [SeriesRound], of keys: [String]?, on connection: Connection
    ) async throws -> ([QuestionPool.Wording], [QuestionPool]) {
        let rows = try await connection.query(
            """
            WITH worded AS (
                SELECT q.key, q.definition, array_agg(r.round) AS rounds,
                    bool_and(q.key = ANY (coalesce(fs.released, '{}'))) AS is_released,
                    max(r.round * 1e20 + q.last_version * 1e10 - q.position) AS newest
                FROM unnest(\(rounds.map(\.formID)), \(rounds.map(\.round))) AS r (form_id, round)
                JOIN form_state fs ON fs.form_id = r.form_id
                JOIN question q ON q.form_id = r.form_id
                    AND (\(keys)::text[] IS NULL OR q.key = ANY (\(keys)))
                GROUP BY q.key, q.definition
            ), sized AS (
                SELECT w.*, sum(octet_length(w.definition::text)) OVER () AS bytes FROM worded w
            )
            SELECT CASE WHEN s.bytes <= \(rounds.count > 1 ? bounds.wordingBytes : Int.max) THEN s.definition END, s.rounds, s.is_released
            FROM sized s ORDER BY s.newest DESC, s.key LIMIT \(bounds.questions)
            """)
        if let first = rows.first, try first.decode(String?.self, at: 0) == nil {
            throw Self.tooMany("\(bounds.wordingBytes >> 20) MiB of questions in different wordings")
        }
        return try await readings.compute(for: accountID) {
            let wordings = try rows.map { row in
                let (definition, rounds, isReleased) = try row.decode(String.self, [Int].self, Bool.self)
                return QuestionPool.Wording(
                    question: try Question(stored: definition), rounds: rounds.sorted(), isReleased: isReleased)
            }
            return (wordings, QuestionPool.all(of: wordings))
        }
    }

    /// Reads the sum of the released counts of each bucket over the rounds whose answers are counted together.
    private func sums(
        of pools: [QuestionPool], in rounds: [SeriesRound], on connection: Connection
    ) async throws -> Rows {
        let forms = Dictionary(rounds.map { ($0.round, $0.formID) }, uniquingKeysWith: { first, _ in first })
        let leftOut = pools.flatMap { pool in pool.leftOut.map { (form: forms[$0], key: pool.question.key) } }
        return try await connection.query(
            """
            SELECT t.question, t.bucket, sum(\(fragment: ShownState.shownCount))::bigint
            FROM form_state fs JOIN tally t ON t.form_id = fs.form_id
            WHERE fs.form_id = ANY (\(rounds.map(\.formID))) AND t.question <> ''
                AND NOT EXISTS (
                    SELECT FROM unnest(\(leftOut.map(\.form)), \(leftOut.map(\.key))) AS l (form_id, key)
                    WHERE l.form_id = t.form_id AND l.key = t.question)
            GROUP BY t.question, t.bucket
            """)
    }
}
