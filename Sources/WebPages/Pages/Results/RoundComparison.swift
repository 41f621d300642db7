import Contract

/// The change of a question's numbers since the latest earlier round that asked it.
struct RoundComparison {
    /// A sentence with a link to the earlier round.
    struct Sentence: TemplateValues, Hashable {
        /// The text before the link.
        var before: String
        /// The text of the link.
        var round: String
        var href: String
        /// The text after the link.
        var after: String
        /// The interval of the change.
        var bounds: String?
    }

    /// The change of one option.
    struct Cell: TemplateValues, Hashable {
        var text: String
        /// Whether the interval of the change excludes 0.
        var isClear: Bool
    }

    /// Names the earlier round with which the first option is compared. The cell of an option that is compared with
    /// another round names that round.
    let since: Sentence?
    /// The change of a rating, and whether its interval excludes 0. Nil for a choice.
    let sentence: Sentence?
    /// The changes of a choice's options, by id. Empty for a rating.
    let cells: [String: Cell]

    /// Nil without an earlier round that has numbers.
    init?(of result: QuestionResults, in trend: Trend, _ names: RoundNames) {
        let texts = names.texts
        guard let index = trend.meetingIds.firstIndex(of: names.host.meeting.id) else { return nil }
        let changes = trend.datasets.compactMap { Change($0, at: index, in: trend, names) }
        guard let first = changes.first else { return nil }
        if result.kind == "choice" {
            since = first.link(in: texts("charts.points-since", ["round": Change.linkPlaceholder]))
            sentence = nil
            cells = Dictionary(
                changes.map { ($0.id, $0.cell(sharedSince: first.since)) }, uniquingKeysWith: { first, _ in first })
        } else {
            // A recommendation is shown by its score instead of its mean.
            let change = changes.first { $0.id == "nps" } ?? first
            (since, cells) = (nil, [:])
            sentence = change.sentence(texts)
        }
    }

    private struct Change {
        /// The option's id, `mean` or `nps`.
        let id: String
        let text: String
        let bounds: (low: String, high: String)?
        /// Whether the interval of the change excludes 0.
        let isClear: Bool
        let isHigher: Bool
        /// The statement whose interval `bounds` is.
        let statement: String
        /// The earlier round: `#3 (21 Nov 2026)`.
        let since: String
        private let meeting: ResourceID

        /// Marks the position of the link in a sentence.
        static let linkPlaceholder = "\u{0}"

        init?(_ numbers: Trend.Dataset, at index: Int, in trend: Trend, _ names: RoundNames) {
            guard let change = numbers.change[index],
                let earlierIndex = numbers.data[..<index].lastIndex(where: { $0 != nil })
            else { return nil }
            id = numbers.id
            let isShare = numbers.id != "mean" && numbers.id != "nps"
            let digits = numbers.id == "mean" ? 2 : 0
            let language = names.texts.language
            let format = {
                isShare ? NumberText.points($0) : NumberText.difference($0, places: digits, in: language)
            }
            text = format(change)
            isHigher = change > 0
            let first = numbers.room?.changeFirst[index].flatMap(\.self) ?? "similarPeople"
            statement = first
            if let (low, high) = Self.bounds(first, numbers, at: index) {
                bounds = first == "known" ? nil : (format(low), format(high))
                isClear = low > 0 || high < 0
            } else {
                (bounds, isClear) = (nil, false)
            }
            since = names.name(of: earlierIndex, in: trend)
            meeting = trend.meetingIds[earlierIndex]
        }

        /// The interval of the change by this statement.
        private static func bounds(
            _ statement: String, _ numbers: Trend.Dataset, at index: Int
        ) -> (Double, Double)? {
            let (low, high) =
                switch statement {
                case "ifAlike": (numbers.room?.changeLow[index], numbers.room?.changeHigh[index])
                case "certain", "known": (numbers.room?.certainChangeLow[index], numbers.room?.certainChangeHigh[index])
                default: (numbers.changeLow[index], numbers.changeHigh[index])
                }
            guard let low = low.flatMap(\.self), let high = high.flatMap(\.self) else { return nil }
            return (low, high)
        }

        func link(in sentence: String) -> Sentence {
            let parts = sentence.split(separator: Self.linkPlaceholder, maxSplits: 1, omittingEmptySubsequences: false)
            return Sentence(
                before: String(parts[0]), round: since, href: "/meetings/\(meeting)/results",
                after: parts.count > 1 ? String(parts[1]) : "")
        }

        /// - Parameter sharedSince: The earlier round that the column's header names.
        func cell(sharedSince: String) -> Cell {
            Cell(text: since == sharedSince ? text : "\(text) (\(since))", isClear: isClear)
        }

        /// Says in words whether the numbers differ, because few readers can interpret intervals. The interval follows;
        /// if the change is not clear, it is a sentence that says why.
        func sentence(_ texts: PageTexts) -> Sentence {
            let key =
                bounds == nil && statement != "known"
                ? "since" : !isClear ? "since-alike" : isHigher ? "since-higher" : "since-lower"
            var sentence = link(in: texts("charts.\(key)", ["change": text, "round": Self.linkPlaceholder]))
            if let bounds {
                let isOpen = !isClear && statement != "known"
                let boundsKey =
                    isOpen ? "open-\(statement)" : statement == "similarPeople" ? "interval" : "clear-\(statement)"
                sentence.bounds = texts("charts.\(boundsKey)", ["low": bounds.low, "high": bounds.high])
            }
            return sentence
        }
    }
}

/// Formats the names of earlier rounds for one page. Each is formatted only once, because all questions and options
/// name the same few rounds.
final class RoundNames {
    let host: HostMeeting
    let texts: PageTexts
    private var names: [ResourceID: String] = [:]

    init(_ host: HostMeeting, _ texts: PageTexts) { (self.host, self.texts) = (host, texts) }

    /// `#3 (21 Nov 2026)`
    func name(of index: Int, in trend: Trend) -> String {
        let id = trend.meetingIds[index]
        if let known = names[id] { return known }
        let day = trend.startsAt[index].map { " (\(host.clock.dayText($0, in: texts.language)))" } ?? ""
        let name = "#\(trend.rounds[index])\(day)"
        names[id] = name
        return name
    }
}
