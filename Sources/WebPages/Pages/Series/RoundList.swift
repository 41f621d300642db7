import Contract
import Foundation
import HTTPAPI

/// The rounds on the page of a series: the newest ones, or all on demand.
struct RoundList {
    /// The number of rounds that are shown at first. That is about a quarter of a year of weekly rounds.
    private static let firstCount = 12
    /// The most rounds on one page.
    private static let maxCount = 1000

    private(set) var shown: [Meeting]
    /// Whether there are more rounds than one page lists.
    private(set) var isTruncated = false
    /// The number of all rounds, for the link to them. Nil if all rounds are shown or were requested.
    private(set) var total: Int?

    /// - Parameters:
    ///   - known: The newest rounds, which were read already.
    ///   - hasMore: Whether there are older rounds.
    init(
        of details: HostReader.SeriesDetails, known: [Meeting], hasMore: Bool, _ reader: HostReader, _ page: PageRequest
    ) async throws {
        guard page.query["rounds"] == "all" else {
            shown = Array(known.prefix(Self.firstCount))
            let rounds = details.series.rounds
            total = rounds > shown.count ? rounds : nil
            return
        }
        shown = known
        isTruncated = hasMore
        if hasMore, let last = known.last {
            let olderRounds = try await reader.rounds(
                of: details.access, before: last.round, limit: Self.maxCount - known.count)
            shown += olderRounds.rounds
            isTruncated = olderRounds.hasMore
        }
    }
}

/// Proposes the title of the next round if the last round's title contains its number: "Lecture 15" after "Lecture 14".
enum RoundTitle {
    /// Nil if the last title does not contain the round's number exactly once. A number that is part of a date or a
    /// version is ignored.
    static func next(after rounds: [Meeting]) -> String? {
        guard let last = rounds.max(by: { $0.round < $1.round }) else { return nil }
        let title = last.title
        let ranges = title.ranges(of: /[0-9]+(?:[.:\/\-–][0-9]+)*/).filter { title[$0] == "\(last.round)" }
        guard let range = ranges.first, ranges.count == 1 else { return nil }
        return title.replacingCharacters(in: range, with: "\(last.round + 1)")
    }
}
