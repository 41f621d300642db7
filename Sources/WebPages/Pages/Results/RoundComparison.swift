import Contract
import Foundation
import HTTPTypes

/// What has changed about a question since the last round of the series that asked it.
struct RoundComparison {
    /// The round before, as most of the numbers have it, with the way there.
    let since: [String: Any]?
    /// Of a rating as a whole, with whether chance alone explains it.
    let sentence: [String: Any]?
    private let cells: [String: [String: Any]]

    /// Nil where there is nothing to compare with.
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
            // A score says more than the mean that it is made of.
            let change = changes.first { $0.id == "nps" } ?? first
            (since, cells) = (nil, [:])
            sentence = change.sentence(page)
        }
    }

    func cell(of option: String) -> [String: Any]? { cells[option] }

    private struct Change {
        let id: String
        let text: String
        let bounds: (low: String, high: String)?
        /// Its interval does not hold 0.
        let isClear: Bool
        let isHigher: Bool
        let since: String
        private let meeting: ResourceID

        /// Stands in a sentence for what is linked there.
        static let gap = "\u{0}"

        init?(_ numbers: Trend.Dataset, at place: Int, in trend: Trend, _ host: MeetingContext) {
            guard let change = numbers.change[place],
                let before = numbers.data[..<place].lastIndex(where: { $0 != nil })
            else { return nil }
            id = numbers.id
            let isShare = numbers.id != "mean" && numbers.id != "nps"
            let digits = numbers.id == "mean" ? 2 : 0
            let said = { isShare ? NumberText.points($0) : NumberText.difference($0, places: digits) }
            text = said(change)
            isHigher = change > 0
            if let low = numbers.changeLow[place], let high = numbers.changeHigh[place] {
                bounds = (said(low), said(high))
                isClear = low > 0 || high < 0
            } else {
                (bounds, isClear) = (nil, false)
            }
            let day = trend.startsAt[before].map { " (\(host.clock.dayText($0, in: host.page.language)))" } ?? ""
            since = "#\(trend.rounds[before])\(day)"
            meeting = trend.meetingIds[before]
        }

        func link(in sentence: String) -> [String: Any] {
            let parts = sentence.split(separator: Self.gap, maxSplits: 1, omittingEmptySubsequences: false)
            return [
                "before": String(parts[0]), "after": parts.count > 1 ? String(parts[1]) : "", "round": since,
                "href": "/meetings/\(meeting)/results",
            ]
        }

        func cell(besides usual: String) -> [String: Any] {
            ["text": since == usual ? text : "\(text) (\(since))", "isClear": isClear]
        }

        func sentence(_ page: PageRequest) -> [String: Any] {
            // In words first: few read an interval.
            let words = bounds == nil ? "since" : !isClear ? "since-alike" : isHigher ? "since-higher" : "since-lower"
            var values = link(in: page.texts("charts.\(words)", ["change": text, "round": Self.gap]))
            if let bounds {
                values["bounds"] = page.texts("charts.interval", ["low": bounds.low, "high": bounds.high])
            }
            return values
        }
    }
}
