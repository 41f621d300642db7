import Domain
import Foundation
import Postgres

/// Everything on which the trends of some rounds depend. It changes when a round's results, questions or attendance
/// change, and when a round is published, deleted or restored.
///
/// A value that was computed in one state can be reused while the rounds are in the same state.
public struct RoundsState: Hashable, Sendable {
    private struct Round: Hashable, Sendable {
        var meetingID: UUID
        var formID: UUID
        var round: Int
        var startsAt: Date?
        var localDate: String?
        var headcount: Int?
        var attended: Int
        var unseen: Int
        var onceOnly: Bool
        var version: Int
        var revision: Int
    }

    private let rounds: [Round]
    /// The number of newest rounds that were requested. There may be fewer.
    let limit: Int

    init(_ rounds: [SeriesRound], limit: Int) {
        self.limit = limit
        self.rounds = rounds.map { round in
            Round(
                meetingID: round.meetingID, formID: round.formID, round: round.round, startsAt: round.startsAt,
                localDate: round.localDate, headcount: round.headcount, attended: round.attended,
                unseen: round.unseen, onceOnly: round.onceOnly, version: round.version, revision: round.revision)
        }
    }

    var count: Int { rounds.count }

    /// Whether the newest of these rounds are exactly those of `other`.
    func ends(with other: RoundsState) -> Bool { Array(rounds.suffix(other.count)) == other.rounds }
}

/// Trends in which the last round is compared with earlier ones.
public struct ComparedTrends: Sendable {
    public var trends: [Trend]
    /// The state of the rounds in the snapshot from which the trends were read. Nil if they were read from snapshots
    /// that differ, or from more rounds than `maxStateRounds`.
    public var state: RoundsState?
}

extension SeriesRounds {
    /// The maximum number of rounds whose state is read again.
    private static let maxStateRounds = 256

    /// Returns the trends of these questions up to a round, without the changes between versions. The trends go back
    /// far enough to compare each number of that round with an earlier one. Omits questions that these rounds do not
    /// contain. Throws 422 if there is too much to read at once.
    public func trends(of seriesID: UUID, questions keys: [String], upTo last: Int) async throws -> ComparedTrends {
        var completeTrends: [Trend] = []
        var states: [RoundsState] = []
        var missingKeys = keys
        // In most series, one of the three preceding rounds asked the same questions.
        var roundCount = 4
        while !missingKeys.isEmpty {
            let (asked, limit) = (missingKeys, roundCount)
            let (trends, state) = try await reading(of: seriesID, upTo: last, newest: limit, questions: asked) {
                try await countsByForm(of: asked, in: $1, on: $2)
            } then: { found in
                try checkValues(found.pools, in: found.rounds)
                let counts = try Self.countsByForm(found.counts)
                return (Self.trends(of: asked, in: found, counts, nil), RoundsState(found.rounds, limit: limit))
            }
            let isLastStep = roundCount > bounds.rounds
            let stepTrends = trends.filter { isLastStep || $0.rounds.count < roundCount || $0.isLastRoundCompared }
            completeTrends += stepTrends
            states.append(state)
            missingKeys = trends.map(\.question.key).filter { key in !stepTrends.contains { $0.question.key == key } }
            roundCount *= 8
        }
        // Each step has its own snapshot. The rounds of the last step include those of the steps before.
        guard let state = states.last, state.count <= Self.maxStateRounds, states.allSatisfy(state.ends) else {
            return ComparedTrends(trends: completeTrends)
        }
        return ComparedTrends(trends: completeTrends, state: state)
    }

    /// Whether the rounds up to `last` are still in this state. Sends one statement, which reads no counts.
    public func isCurrent(_ state: RoundsState, of seriesID: UUID, upTo last: Int) async throws -> Bool {
        let rounds = try await pool.withConnection { connection in
            try await list(of: seriesID, upTo: last, newest: state.limit, on: connection)
        }
        return RoundsState(rounds, limit: state.limit) == state
    }
}
