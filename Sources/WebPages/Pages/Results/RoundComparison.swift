import Contract
import Foundation
import HTTPTypes

/// The change of a question's numbers since the last earlier round that asked it.
struct RoundComparison {
    /// A sentence with a link to the earlier round.
    struct Sentence: TemplateValues {
        var before: String
        var round: String
        var href: String
        var after: String
        /// The interval of the change.
        var bounds: String?
    }

    /// The change of one option.
    struct Cell: TemplateValues {
        var text: String
        /// Whether its interval excludes 0.
        var isClear: Bool
    }

    /// The earlier round with which most options are compared.
    let since: Sentence?
    /// The change of a rating, and whether it is clear.
    let sentence: Sentence?
    private let cells: [String: Cell]

    /// Nil without an earlier round that has numbers.
    init?(of result: QuestionResults, in trend: Trend, _ host: MeetingContext) {
        let page = host.page
        guard let place = trend.meetingIds.firstIndex(of: host.meeting.id) else { return nil }
        let changes = trend.datasets.compactMap { Change($0, at: place, in: trend, host) }
        guard let first = changes.first else { return nil }
        if result.kind == "choice" {
            since = first.link(in: page.texts("charts.points-since", ["round": Change.gap]))
            sentence = nil
            cells = Dictionary(
                changes.map { ($0.id, $0.cell(besides: first.since)) }, uniquingKeysWith: { first, _ in first })
        } else {
            // A net promoter score is more telling than the mean of the same ratings.
            let change = changes.first { $0.id == "nps" } ?? first
            (since, cells) = (nil, [:])
            sentence = change.sentence(page)
        }
    }

    func cell(of option: String) -> Cell? { cells[option] }

    private struct Change {
        let id: String
        let text: String
        let bounds: (low: String, high: String)?
        /// Whether its interval excludes 0.
        let isClear: Bool
        let isHigher: Bool
        let since: String
        private let meeting: ResourceID

        /// The place of the link in a sentence.
        static let gap = "\u{0}"

        init?(_ numbers: Trend.Dataset, at place: Int, in trend: Trend, _ host: MeetingContext) {
            guard let change = numbers.change[place],
                let before = numbers.data[..<place].lastIndex(where: { $0 != nil })
            else { return nil }
            id = numbers.id
            let isShare = numbers.id != "mean" && numbers.id != "nps"
            let digits = numbers.id == "mean" ? 2 : 0
            let write = { isShare ? NumberText.points($0) : NumberText.difference($0, places: digits) }
            text = write(change)
            isHigher = change > 0
            if let low = numbers.changeLow[place], let high = numbers.changeHigh[place] {
                bounds = (write(low), write(high))
                isClear = low > 0 || high < 0
            } else {
                (bounds, isClear) = (nil, false)
            }
            let day = trend.startsAt[before].map { " (\(host.clock.dayText($0, in: host.page.language)))" } ?? ""
            since = "#\(trend.rounds[before])\(day)"
            meeting = trend.meetingIds[before]
        }

        func link(in sentence: String) -> Sentence {
            let parts = sentence.split(separator: Self.gap, maxSplits: 1, omittingEmptySubsequences: false)
            return Sentence(
                before: String(parts[0]), round: since, href: "/meetings/\(meeting)/results",
                after: parts.count > 1 ? String(parts[1]) : "")
        }

        func cell(besides usual: String) -> Cell {
            Cell(text: since == usual ? text : "\(text) (\(since))", isClear: isClear)
        }

        /// In words first, because few readers know intervals.
        func sentence(_ page: PageRequest) -> Sentence {
            let words = bounds == nil ? "since" : !isClear ? "since-alike" : isHigher ? "since-higher" : "since-lower"
            var sentence = link(in: page.texts("charts.\(words)", ["change": text, "round": Self.gap]))
            if let bounds {
                sentence.bounds = page.texts("charts.interval", ["low": bounds.low, "high": bounds.high])
            }
            return sentence
        }
    }
}
