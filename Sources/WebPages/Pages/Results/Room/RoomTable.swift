import Contract
import Domain

/// What the answers to a question say of the people in the room, for the template `room-table`.
struct RoomTable: TemplateValues, Hashable {
    struct Row: TemplateValues, Hashable {
        var label: String
        /// The range by each statement, in the order of the header.
        var ranges: [String]
    }

    /// How many of the people answered.
    var summary: String
    /// How the number of people is known.
    var people: String?
    /// Why the first statement comes first.
    var reason: String
    /// The names of the statements.
    var statements: [String]
    var rows: [Row]
}

/// Puts into words what the answers to a question say of the people in the room.
struct RoomWriter {
    let result: QuestionResults
    /// How the number of people is known.
    var base: String?
    let texts: PageTexts
    private let room: QuestionResults.Room
    private let first: RoomResult.Statement

    /// Nil if nothing is said of the room, and without answers.
    init?(_ result: QuestionResults, base: String? = nil, _ texts: PageTexts) {
        guard let room = result.room, result.answered > 0,
            let first = RoomResult.Statement(rawValue: room.first)
        else { return nil }
        (self.result, self.base, self.texts, self.room, self.first) = (result, base, texts, room, first)
    }

    /// The first statement about the mean. Nil if it is about other people.
    var mean: String? { room.mean.flatMap { brief($0, decimal) } }

    /// The first statement about the net promoter score. Nil if it is about other people.
    var score: String? { room.nps.flatMap { brief($0, NumberText.score) } }

    /// The range of a share by the first statement. Nil if everybody answered.
    func range(of point: QuestionResults.Point) -> String? {
        guard first != .known else { return nil }
        return interval(first, bounds(of: point), [point.low, point.high]).map { NumberText.percents($0[0], $0[1]) }
    }

    /// The header of the column with the ranges of shares, which is narrow. Nil if they are those of similar people.
    var rangeHeader: String? {
        switch first {
        case .ifAlike: texts("room.range-head-95")
        case .certain, .known: texts("room.range-head")
        case .similarPeople: nil
        }
    }

    /// - Parameter points: The buckets of a choice to list.
    func table(_ points: [QuestionResults.Point]) -> RoomTable {
        let others = [RoomResult.Statement.ifAlike, .certain, .similarPeople].filter { $0 != first }
        let statements = first == .known ? [.similarPeople] : [first] + others
        let numbers = ["answered": "\(room.people - room.silent)", "people": "\(room.people)"]
        return RoomTable(
            summary: texts(first == .known ? "room.all-answered" : "room.some-answered", numbers),
            people: people, reason: texts("room.\(first.rawValue)-first"),
            statements: statements.map { texts("room.\($0.rawValue)") }, rows: rows(statements, points))
    }

    /// Says who the people are.
    private var people: String? {
        let notes = [
            base.flatMap { texts.find("room.base-\($0)") },
            (result.abstained ?? 0) > 0 ? texts("room.without-abstained") : nil,
        ].compactMap(\.self)
        return notes.isEmpty ? nil : notes.joined(separator: " ")
    }

    private func rows(_ statements: [RoomResult.Statement], _ points: [QuestionResults.Point]) -> [RoomTable.Row] {
        func row(
            _ label: String, _ bounds: QuestionResults.Room.Bounds?, _ similar: [Double?],
            _ format: (Double) -> String
        ) -> RoomTable.Row {
            RoomTable.Row(
                label: label,
                ranges: statements.map { statement in
                    guard let interval = interval(statement, bounds, similar) else { return texts("room.too-few") }
                    return texts("room.range", ["low": format(interval[0]), "high": format(interval[1])])
                })
        }
        guard let summary = result.summary else {
            return points.map { point in
                row(
                    ResultsFilter.label(of: point, in: result, texts), bounds(of: point), [point.low, point.high],
                    NumberText.percent)
            }
        }
        if let nps = summary.nps { return [row(texts("stage.nps"), room.nps, [nps.low, nps.high], NumberText.score)] }
        return [row(texts("stage.mean"), room.mean, clipped(summary), decimal)]
    }

    private func brief(_ bounds: QuestionResults.Room.Bounds, _ format: (Double) -> String) -> String? {
        if first == .known { return texts("room.known-brief") }
        guard first != .similarPeople, let interval = interval(first, bounds, []) else { return nil }
        let values = ["low": format(interval[0]), "high": format(interval[1]), "people": "\(room.people)"]
        return texts("room.\(first.rawValue)-brief", values)
    }

    private func bounds(of point: QuestionResults.Point) -> QuestionResults.Room.Bounds? {
        guard let index = result.points?.firstIndex(where: { $0.id == point.id }) else { return nil }
        return room.points.indices.contains(index) ? room.points[index] : nil
    }

    /// - Parameter similar: The bounds of the interval that is about other people.
    private func interval(
        _ statement: RoomResult.Statement, _ bounds: QuestionResults.Room.Bounds?, _ similar: [Double?]
    ) -> [Double]? {
        let interval: [Double]? =
            switch statement {
            case .ifAlike: bounds?.ifAlike
            case .certain, .known: bounds?.certain
            case .similarPeople: similar.compactMap(\.self)
            }
        return interval?.count == 2 ? interval : nil
    }

    /// The interval of the mean, clipped to the scale.
    private func clipped(_ summary: QuestionResults.Summary) -> [Double?] {
        let scale = (result.points ?? []).compactMap(\.value)
        guard let bounds = summary.confidence95, bounds.count == 2, let low = scale.min(), let high = scale.max() else {
            return []
        }
        let interval = Interval(low: bounds[0], high: bounds[1]).clipped(to: low...high)
        return [interval.low, interval.high]
    }

    private func decimal(_ value: Double) -> String { NumberText.decimal(value, in: texts.language) }
}
