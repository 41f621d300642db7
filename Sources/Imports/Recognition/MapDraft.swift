import Domain
import Foundation
import StrictJSON

/// A map that is made from choices for each column. `json` is the file that `afterword import --map` takes.
public struct MapDraft: Sendable {
    public struct Column: Sendable {
        /// The heading.
        public var name: String
        public var use: ColumnUse
        /// The title of the question; empty for the heading.
        public var title: String

        public init(name: String, use: ColumnUse, title: String = "") {
            (self.name, self.use, self.title) = (name, use, title)
        }
    }

    public var columns: [Column]
    public var seriesTitle: String
    public var meetingTitle: String
    /// The time zone of the meetings.
    public var timeZone: String
    /// Whether meetings are dated by the times of their rows.
    public var isDatedByRows: Bool
    /// Nil if the file's times are RFC 3339.
    public var order: TimeFormat.Order?
    /// The questions of the existing series that gets the rows. Nil for a series of this import.
    public var known: KnownQuestions?

    private static let maxTitleLength = 300

    public init(
        columns: [Column], seriesTitle: String, meetingTitle: String, timeZone: String, order: TimeFormat.Order?,
        isDatedByRows: Bool = false, addingTo known: KnownQuestions? = nil
    ) {
        self.columns = columns
        self.seriesTitle = seriesTitle
        self.meetingTitle = meetingTitle
        self.timeZone = timeZone
        self.order = order
        self.isDatedByRows = isDatedByRows
        self.known = known
    }

    /// The title that is proposed for a question: the heading, or for an option the heading's part before it.
    public static func title(of name: String, use: ColumnUse, position: Int) -> String {
        let text = use == .option || use == .otherText ? BracketedName(name)?.question ?? name : name
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ").trimmingCharacters(in: .whitespaces)
        let title = String(String.UnicodeScalarView(line.unicodeScalars.prefix(maxTitleLength)))
        return title.isEmpty ? "\(position + 1)" : title
    }

    public var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("series", series), .init("meeting", meeting),
        ]
        if let order {
            let format = [JSONValue.Member("order", .string(order.rawValue)), .init("timeZone", .string(timeZone))]
            members.append(.init("times", .object(format)))
        }
        members.append(.init("submittedAt", JSONValue(column(.submittedAt)?.name)))
        members.append(.init("missing", .array(["", "N/A"].map { .string($0) })))
        members.append(.init("questions", .array(questions)))
        return .object(members)
    }

    /// The map with a line for each member and each question.
    public var text: String {
        let lines = (json.members ?? []).map { member in
            let name = JSONValue.string(member.name).text
            guard let elements = member.value.array, member.name == "questions", !elements.isEmpty else {
                return "  \(name): \(member.value.text)"
            }
            return "  \(name): [\n" + elements.map { "    \($0.text)" }.joined(separator: ",\n") + "\n  ]"
        }
        return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
    }

    private func column(_ use: ColumnUse) -> Column? { columns.first { $0.use == use } }

    /// The rule for series or meetings. Those of a column are titled after its values.
    private func rule(_ use: ColumnUse, title: String) -> JSONValue {
        guard let by = column(use)?.name else { return .object([.init("title", .string(Self.literal(title)))]) }
        let isUsable = !by.isEmpty && !by.contains { "{}".contains($0) }
        let template = isUsable ? "\(Self.literal(title)) {\(by)}" : Self.literal(title)
        return .object([
            .init("by", .string(by)), .init("title", .string(template.trimmingCharacters(in: .whitespaces))),
        ])
    }

    private var series: JSONValue {
        known.map { .object([.init("id", .string($0.seriesID.lowercased))]) } ?? rule(.series, title: seriesTitle)
    }

    private var meeting: JSONValue {
        var members = rule(.meeting, title: meetingTitle).members ?? []
        if let start = column(.startsAt) { members.append(.init("startsAt", .string(start.name))) }
        if let end = column(.endsAt) { members.append(.init("endsAt", .string(end.name))) }
        // A file with times of the meetings needs no others.
        if isDatedByRows, column(.submittedAt) != nil, column(.startsAt) == nil, column(.endsAt) == nil {
            members.append(.init("datedByRows", .bool(true)))
        }
        members.append(.init("timeZone", .string(timeZone)))
        return .object(members)
    }

    /// A title in which braces name no column.
    private static func literal(_ title: String) -> String {
        title.replacing("{", with: "(").replacing("}", with: ")").trimmingCharacters(in: .whitespaces)
    }

    // MARK: Questions

    private var questions: [JSONValue] {
        var keys = Names(except: Limits.reservedKeys.union(known?.keys ?? []))
        var continued: Set<String> = []
        var questions: [[JSONValue.Member]] = []
        // The multiple choice to which further options belong.
        var open: OpenChoice?
        for (position, column) in columns.enumerated() {
            let bracketed = BracketedName(column.name)
            let title =
                column.title.isEmpty
                ? Self.title(of: column.name, use: column.use, position: position) : column.title
            let match = known?.question(titled: title)
            func add(_ kind: String, _ more: [JSONValue.Member]) {
                // Each question is continued by one column. Others get keys that the series does not have.
                let continues = match.flatMap { continued.insert($0.key).inserted ? $0 : nil }
                let key = continues?.key ?? keys.make(bracketed?.question ?? column.name, position)
                let wording = continues.map { Self.wording(of: $0, as: column.use) } ?? []
                questions.append(
                    more + [
                        .init("key", .string(key)), .init("kind", .string(kind)),
                        .init("title", .string(continues?.title ?? title)),
                    ] + wording.map { .init($0.name, $0.value) })
            }
            let source = [JSONValue.Member("column", .string(column.name))]
            switch column.use {
            case .text: add("text", source)
            case .choice: add("choice", source)
            case .several(let separator):
                add("choice", source + [.init("separator", .string(separator.rawValue))])
            case .rating(let min, let max):
                add("rating", source)
                questions[questions.count - 1] += [.init("min", JSONValue(min)), .init("max", JSONValue(max))]
            case .recommendation:
                add("rating", source)
                questions[questions.count - 1] += [
                    .init("min", JSONValue(0)), .init("max", JSONValue(10)), .init("metric", .string("nps")),
                ]
            case .option:
                let question = bracketed?.question ?? column.name
                if open?.question != question {
                    let isContinued = match.map { !continued.contains($0.key) } ?? false
                    add("choice", [])
                    open = OpenChoice(question, index: questions.count - 1, continuing: isContinued ? match : nil)
                }
                guard var group = open else { continue }
                let label = bracketed?.option ?? column.name
                let id = group.id(of: label)
                group.options.append(ImportQuestion.option(id: id, label: label))
                group.columns.append(.init(id, .string(column.name)))
                open = group
                set("columns", .object(group.columns), of: &questions[group.index])
                set("options", .array(group.options), of: &questions[group.index])
                continue
            case .otherText:
                // Without a choice before it, the map has a fault, which names the column.
                if questions.isEmpty { add("text", source) }
                set("otherColumn", .string(column.name), of: &questions[questions.count - 1])
            case .skip, .submittedAt, .meeting, .series, .startsAt, .endsAt: continue
            }
            open = nil
        }
        Self.removeBrokenGrids(&questions)
        return questions.map { .object($0) }
    }

    /// Continued statements whose columns do not follow each other, or have other scales, become ratings of their own.
    private static func removeBrokenGrids(_ questions: inout [[JSONValue.Member]]) {
        func grid(_ question: [JSONValue.Member]) -> String? {
            question.first { $0.name == "grid" }?.value["key"]?.string
        }
        let own: Set = ["column", "key", "title", "description"]
        func shared(_ question: [JSONValue.Member]) -> JSONValue {
            .object(question.filter { !own.contains($0.name) })
        }
        var (last, ended, broken): (Int?, Set<String>, Set<String>) = (nil, [], [])
        for (index, question) in questions.enumerated() {
            let before = last.flatMap { grid(questions[$0]) }
            if let key = grid(question) {
                if ended.contains(key) { broken.insert(key) }
                if key == before, let last, shared(questions[last]) != shared(question) { broken.insert(key) }
            }
            if let before, before != grid(question) { ended.insert(before) }
            last = index
        }
        for index in questions.indices {
            guard let key = grid(questions[index]), broken.contains(key) else { continue }
            questions[index].removeAll { $0.name == "grid" }
        }
    }

    private func set(_ name: String, _ value: JSONValue, of question: inout [JSONValue.Member]) {
        question.removeAll { $0.name == name }
        question.append(.init(name, value))
    }

    /// The multiple choice to which further options belong.
    private struct OpenChoice {
        let question: String
        let index: Int
        var options: [JSONValue] = []
        var columns: [JSONValue.Member] = []
        private var ids: Names
        /// The ids of the known question's options by their labels.
        private var known: [String: String]

        init(_ question: String, index: Int, continuing known: Question?) {
            (self.question, self.index) = (question, index)
            var options: [Question.Option] = []
            if case .choice(let choice)? = known?.kind { options = choice.options }
            self.known = Dictionary(
                options.map { (Self.normalized($0.label), $0.id) }, uniquingKeysWith: { first, _ in first })
            ids = Names(except: Limits.reservedOptions.union(options.map(\.id)))
        }

        /// The id of the known option with this label, or a new one.
        mutating func id(of label: String) -> String {
            known.removeValue(forKey: Self.normalized(label)) ?? ids.make(label, options.count)
        }

        private static func normalized(_ label: String) -> String {
            label.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        }
    }

    /// Makes distinct keys and option ids from headings.
    private struct Names {
        private var used: Set<String>

        init(except taken: Set<String>) {
            used = taken.union(["other"])
        }

        mutating func make(_ text: String, _ position: Int) -> String {
            let scalars = text.lowercased().unicodeScalars.map { scalar -> Character in
                ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) ? Character(scalar) : "_"
            }
            var name = String(scalars).split(separator: "_").joined(separator: "_")
            let isWord = name.first.map { ("a"..."z").contains($0) } ?? false
            if !isWord { name = name.isEmpty ? "q\(position + 1)" : "q_\(name)" }
            name = name.prefix(32).split(separator: "_").joined(separator: "_")
            var unique = name
            var number = 2
            while !used.insert(unique).inserted {
                unique = "\(name)_\(number)"
                number += 1
            }
            return unique
        }
    }
}
