import Contract
import Foundation
import HTTPAPI

/// The rounds that a series' page lists: the newest, or all of them on demand.
struct RoundList {
    /// About a quarter of weekly rounds.
    private static let first = 12
    /// Rounds that one page lists at most.
    private static let most = 1000

    private(set) var shown: [Meeting]
    /// Whether there are more rounds than one page lists.
    private(set) var isCut = false
    /// How many there are, where not all of them are shown.
    private(set) var all: Int?

    /// - Parameters:
    ///   - known: The newest rounds, which the page has read.
    ///   - hasMore: Whether there are older ones.
    init(
        of details: HostReader.SeriesDetails, known: [Meeting], hasMore: Bool, _ reader: HostReader, _ page: PageRequest
    ) async throws {
        guard page.query["rounds"] == "all" else {
            shown = Array(known.prefix(Self.first))
            let total = details.series.rounds
            all = total > shown.count ? total : nil
            return
        }
        shown = known
        isCut = hasMore
        if hasMore, let last = known.last {
            let more = try await reader.rounds(of: details.access, before: last.round, limit: Self.most - known.count)
            shown += more.rounds
            isCut = more.hasMore
        }
    }
}

/// What the next round is called where the last one's title holds its number, as in "Lecture 14".
enum RoundTitle {
    /// Nil where the title says nothing of the number: then it stays as it is.
    ///
    /// A number counts only as a word of its own that stands there once: neither part of a date or a version, nor
    /// beside another of the same value.
    static func next(after rounds: [Meeting]) -> String? {
        guard let last = rounds.max(by: { $0.round < $1.round }) else { return nil }
        let title = last.title
        let places = title.ranges(of: /[0-9]+(?:[.:\/\-–][0-9]+)*/).filter { title[$0] == "\(last.round)" }
        guard let place = places.first, places.count == 1 else { return nil }
        return title.replacingCharacters(in: place, with: "\(last.round + 1)")
    }
}
