import Domain
import Foundation
import StrictJSON

/// What the columns of a file seem to be, by their headings and values.
public struct ColumnProposal: Sendable {
    public let service: SurveyService?
    public private(set) var uses: [ColumnUse]
    /// How the file writes its times. Nil if it has no column of times, or only such as RFC 3339.
    public private(set) var order: TimeFormat.Order?

    /// The largest number of options that is proposed for a choice.
    private static let maxOptions = 12
    /// The number of values by which a column of times is recognised.
    private static let maxTimes = 100
    private static let formats = TimeFormat.Order.allCases.map { TimeFormat(order: $0, timeZone: .gmt) }

    public init(_ sample: CSVSample) {
        let service = SurveyService(header: sample.header)
        self.service = service
        uses = []
        var order: TimeFormat.Order?
        var hasTime = false
        for (index, name) in sample.header.enumerated() {
            if let role = service?.role(of: name, at: index) {
                if case .submittedAt = role {
                    let found = Self.order(of: sample.values(index))
                    guard !hasTime, found.isTime else {
                        uses.append(.skip)
                        continue
                    }
                    hasTime = true
                    order = found.order
                }
                uses.append(role)
            } else {
                uses.append(Self.use(of: name, sample.values(index), previous: uses.last))
            }
        }
        // Without a known service, the first column of times is that of the rows.
        if !hasTime, service == nil {
            for index in sample.header.indices where uses[index] == .text || uses[index] == .choice {
                let found = Self.order(of: sample.values(index))
                guard found.isTime else { continue }
                uses[index] = hasTime ? .skip : .submittedAt
                if !hasTime { order = found.order }
                hasTime = true
            }
        }
        self.order = order
    }

    private static func use(of name: String, _ values: [String], previous: ColumnUse?) -> ColumnUse {
        guard !values.isEmpty else { return .skip }
        let parts = BracketedName(name)
        if let parts {
            if parts.isOther, previous == .option || previous == .choice { return .otherText }
            if values.allSatisfy({ AnswerReader.chosen($0) != nil }) { return .option }
        }
        if let rating = rating(values) {
            guard case .rating(let min, max: 10) = rating, min == 0 || isRecommendation(name) else { return rating }
            return .recommendation
        }
        if let separator = ValueSeparator.allCases.first(where: { areSeveral(values, $0) }) {
            return .several(separator)
        }
        let distinct = Set(values)
        let isShort = distinct.allSatisfy { $0.utf8.count <= 100 && !$0.contains("\n") }
        let isRepeated = distinct.count * 2 <= values.count || distinct.count <= 2 && values.count > 2
        return isShort && isRepeated && distinct.count <= maxOptions ? .choice : .text
    }

    private static func isRecommendation(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["recommend", "empfehl", "추천", "nps"].contains { name.contains($0) }
    }

    /// Whether cells have several values, such as `Talks;Demos`: few and short ones, one of which is in cells that differ.
    /// In `Yes, always` and `No` there is no such value. Sentences have commas, so values between commas have to be
    /// repeated.
    private static func areSeveral(_ values: [String], _ separator: ValueSeparator) -> Bool {
        let cells = Set(values)
        guard cells.contains(where: { $0.contains(separator.rawValue) }) else { return false }
        var counts: [String: Int] = [:]
        for cell in cells { for part in separator.parts(of: cell) { counts[part, default: 0] += 1 } }
        let total = values.reduce(0) { $0 + separator.parts(of: $1).count }
        let isShort = counts.keys.allSatisfy { $0.utf8.count <= 100 && !$0.contains("\n") }
        let isRepeated = separator == .semicolon || counts.count * 2 <= total || counts.count <= 2 && total > 2
        return isShort && isRepeated && counts.count <= maxOptions && counts.values.contains { $0 > 1 }
    }

    /// The narrowest usual scale that contains all values.
    private static func rating(_ values: [String]) -> ColumnUse? {
        let numbers = values.map { ValueOrder.number($0) ?? -1 }
        guard let least = numbers.min(), let most = numbers.max(), least >= 0, most <= 10,
            numbers.allSatisfy({ $0 == $0.rounded() }), Set(numbers).count > 1 || values.count == 1
        else { return nil }
        let top = most <= 5 ? 5 : most <= 7 ? 7 : 10
        // 0 and 1 are no and yes.
        if least == 0 { return most > 1 ? .rating(min: 0, max: top == 5 ? 5 : 10) : nil }
        return .rating(min: 1, max: top)
    }

    /// Whether nearly all values are times, and in which order they have their parts. Values that fit several orders
    /// leave the choice to those that do not, and then to the usual order for their separator.
    static func order(of values: [String]) -> (isTime: Bool, order: TimeFormat.Order?) {
        let values = values.prefix(maxTimes)
        guard !values.isEmpty else { return (false, nil) }
        if values.allSatisfy({ RFC3339.parse($0) != nil }) { return (true, nil) }
        // A heading or a remark in the column is refused later, with its line.
        let enough = max(1, values.count * 9 / 10)
        let counts = formats.map { format in
            (order: format.order, count: values.count(where: { format.parse($0) != nil }))
        }
        guard let most = counts.map(\.count).max(), most >= enough else { return (false, nil) }
        let best = counts.filter { $0.count == most }.map(\.order)
        let usual: TimeFormat.Order = values[0].contains("/") ? .mdy : .dmy
        return (true, best.contains(.ymd) ? .ymd : best.contains(usual) ? usual : best[0])
    }
}

/// A heading such as `Q1[demo]` or `What helped? [Demo]`, in which services write the options of one question.
struct BracketedName {
    let question: String
    let option: String

    init?(_ name: String) {
        let name = name.trimmingCharacters(in: .whitespaces)
        guard name.hasSuffix("]"), let open = name.lastIndex(of: "[") else { return nil }
        question = name[..<open].trimmingCharacters(in: .whitespaces)
        option = name[name.index(after: open)...].dropLast().trimmingCharacters(in: .whitespaces)
        if option.isEmpty { return nil }
    }

    /// Whether this is the column with one's own words.
    var isOther: Bool { ["other", "sonstiges", "andere", "기타"].contains(option.lowercased()) }
}
