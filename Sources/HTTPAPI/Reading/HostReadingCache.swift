import Contract
import Foundation
import Store

/// Keeps results and trends that were read for hosts. They are returned only to readers whose access was checked, and
/// only while the database is in the state for which they were computed. Each read looks up that state first.
///
/// They are the same for all who may see the series: nothing in them depends on the account, its role or its language.
public final class HostReadingCache: Sendable {
    struct TrendKey: Hashable, Sendable {
        var seriesID: UUID
        var round: Int
        var questions: [String]
    }

    private let results = StateCache<UUID, Contract.Results>(capacity: 500, maxBytes: 16 << 20)
    private let trends = LRUCache<TrendKey, (state: RoundsState, value: [Contract.Trend])>(
        capacity: 500, maxBytes: 16 << 20)

    public init() {}

    /// The results of a meeting that was just read, or newer ones.
    func results(of meeting: StoredMeeting, in store: Store) async throws -> Contract.Results {
        try await store.largeResults.admitted(to: meeting.form.id) {
            try await results.value(of: meeting.form.id, in: ResultsState(meeting)) {
                try await store.largeResults.make(from: meeting.form.id) {
                    try await store.results.read(meeting.form.id)
                } _: { found, _ in
                    let results = Contract.Results(found, of: meeting)
                    let state = ResultsState(meeting, revision: results.revision)
                    return .init(value: results, state: state, bytes: Self.bytes(results))
                }
            }
        }
    }

    /// The trends with the state of the rounds for which they are valid.
    func trends(_ key: TrendKey) -> (state: RoundsState, value: [Contract.Trend])? { trends.find(key) }

    func insert(_ value: [Contract.Trend], _ key: TrendKey, in state: RoundsState) {
        trends.insert((state, value), for: key, bytes: Self.bytes(value))
    }

    // MARK: Approximate sizes in memory

    private static func bytes(_ results: Contract.Results) -> Int {
        let questions = results.questions.reduce(0) { bytes, question in
            let labels = (question.points ?? []).reduce(0) { $0 + 3 * $1.label.utf8.count + 256 }
            return bytes + 512 + question.title.utf8.count + labels
        }
        let changes = results.changes.reduce(0) { bytes, change in
            bytes + 256 + (change.from?.utf8.count ?? 0) + (change.to?.utf8.count ?? 0)
        }
        return 512 + questions + changes
    }

    private static func bytes(_ trends: [Contract.Trend]) -> Int {
        trends.reduce(0) { bytes, trend in
            let rounds = trend.rounds.count
            let numbers = trend.datasets.reduce(0) { $0 + 256 + $1.label.utf8.count + 100 * rounds }
            return bytes + 512 + 160 * rounds + numbers
        }
    }
}
