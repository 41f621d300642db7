import Contract
import Foundation
import HTTPAPI

/// The rounds on the page of a series: the newest, or all on demand.
struct RoundList {
    /// The number of rounds at first, about a quarter of weekly ones.
    private static let first = 12
    /// The most rounds of one page.
    private static let most = 1000

    private(set) var shown: [Meeting]
    /// Whether there are more rounds than one page lists.
    private(set) var isCut = false
    /// The number of all rounds; nil if all are shown.
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

/// The title of the next round if the last one's contains its number, as in "Lecture 14".
enum RoundTitle {
    /// Nil if the title does not contain the number.
    ///
    /// The number has to be a word that occurs once, and no part of a date or version.
    static func next(after rounds: [Meeting]) -> String? {
        guard let last = rounds.max(by: { $0.round < $1.round }) else { return nil }
        let title = last.title
        let places = title.ranges(of: /[0-9]+(?:[.:\/\-–][0-9]+)*/).filter { title[$0] == "\(last.round)" }
        guard let place = places.first, places.count == 1 else { return nil }
        return title.replacingCharacters(in: place, with: "\(last.round + 1)")
    }
}
