import Domain
import Foundation
import StrictJSON

/// Converts the cells of one question to the answer that a participant would send.
///
/// Each distinct value is converted once, when the plan is made, so that a row costs only lookups.
struct AnswerReader: Sendable {
    private enum Shape: Sendable {
        /// An answer for each code. `otherCode` is the code of a cell that contains only `other`.
        case single(column: Int, answers: [JSONValue], otherCode: UInt32?)
        /// The chosen options for each code, and whether the cell names `other`.
        case several(column: Int, answers: [[JSONValue]], namesOther: [Bool])
        case options([(id: String, column: Int, chosen: [Bool?])])
    }

    let key: String
    /// The headings of the question's columns, shortened: each fault of a row repeats them.
    let columnNames: String
    private static let maxNamesLength = 200
    private let shape: Shape
    private let other: Int?
    /// Faults of a single column's values that are not valid answers, by code.
    private let unusable: [UInt32: Fault]

    init(
        _ question: ImportQuestion, _ numbers: MappedColumns.QuestionColumns, _ columns: [CodedColumn],
        options: [JSONValue], unusable: [UInt32: Fault] = [:]
    ) {
        key = question.key
        self.unusable = unusable
        other = numbers.other
        let names = (numbers.main + (numbers.other.map { [$0] } ?? [])).map { columns[$0].name }.joined(separator: ", ")
        let shortNames = names.unicodeScalars.prefix(Self.maxNamesLength)
        columnNames = shortNames.endIndex == names.endIndex ? names : String(shortNames) + "…"
        switch question.source {
        case .options(let named):
            shape = .options(
                zip(named, numbers.main).map { option, column in
                    (option.id, column, columns[column].values.map(Self.chosen))
                })
        case .column where question.separator != nil:
            let column = numbers.main[0]
            let hasOther = numbers.other != nil
            let acceptsOther = !hasOther && question.definition["other"] == .bool(true)
            let cells = columns[column].values.map(question.parts)
            let answers = cells.map { parts in
                Self.several(
                    parts.filter { !hasOther || $0 != "other" }, options, isDerived: question.derivesOptions,
                    acceptsOther: acceptsOther)
            }
            shape = .several(
                column: column, answers: answers, namesOther: cells.map { hasOther && $0.contains("other") })
        case .column:
            let column = numbers.main[0]
            let hasOther = numbers.other != nil
            let abstain = question.definition["abstain"]?.string
            let labels = question.pointLabels
            let acceptsOther = !hasOther && question.definition["other"] == .bool(true)
            let answers = columns[column].values.map { value -> JSONValue in
                switch question.kind {
                case "rating": Self.rating(value, abstain: abstain, labels: labels)
                case "choice" where question.derivesOptions:
                    Self.derived(value, options: options, acceptsOther: acceptsOther)
                case "choice": Self.choice(value, options: options, acceptsOther: acceptsOther)
                default: .string(value)
                }
            }
            let otherCode = hasOther ? columns[column].values.dropFirst().firstIndex(of: "other") : nil
            shape = .single(column: column, answers: answers, otherCode: otherCode.map(UInt32.init))
        }
    }

    /// The answer in a row. Nil if the question was skipped.
    func answer(_ row: Int, _ columns: [CodedColumn]) -> JSONValue? {
        let otherText = other.flatMap { columns[$0].value(row) }
        switch shape {
        case .single(let column, let answers, let otherCode):
            let code = columns[column].codes[row]
            if let otherText { return Self.other(otherText) }
            if code == otherCode { return Self.other("") }
            return code == 0 ? nil : answers[Int(code)]
        case .several(let column, let answers, let namesOther):
            let code = Int(columns[column].codes[row])
            let hasOther = otherText != nil || namesOther[code]
            let chosen = answers[code] + (hasOther ? [Self.other(otherText ?? "")] : [])
            return chosen.isEmpty ? nil : .array(chosen)
        case .options(let options):
            var chosen: [JSONValue] = []
            var choseOther = otherText != nil
            for option in options where option.chosen[Int(columns[option.column].codes[row])] == true {
                if option.id == "other" { choseOther = true } else { chosen.append(.string(option.id)) }
            }
            if choseOther { chosen.append(Self.other(otherText ?? "")) }
            return chosen.isEmpty ? nil : .array(chosen)
        }
    }

    /// The reason why a row's cells form no answer. Nil if they form one, valid or not.
    func refusal(_ row: Int, _ columns: [CodedColumn], line: Int) -> RefusedRow? {
        switch shape {
        case .single(let column, _, let otherCode):
            let code = columns[column].codes[row]
            if let fault = unusable[code] {
                return RefusedRow(line: line, column: columns[column].name, code: fault.code, reason: fault.detail)
            }
            guard let other, columns[other].codes[row] != 0, code != 0, code != otherCode else { return nil }
            return RefusedRow(
                line: line, column: columns[other].name, code: "two-answers",
                reason: "The row has an option and another answer where only one is allowed.")
        case .several(let column, _, _):
            return unusable[columns[column].codes[row]].map { fault in
                RefusedRow(line: line, column: columns[column].name, code: fault.code, reason: fault.detail)
            }
        case .options(let options):
            let unreadable = options.first { $0.chosen[Int(columns[$0.column].codes[row])] == nil }
            return unreadable.map { option in
                RefusedRow(
                    line: line, column: columns[option.column].name, code: "not-a-flag",
                    reason: "The cell must be 1, 0, true, false, yes, no, y, n, x or empty.")
            }
        }
    }

    private static func other(_ text: String) -> JSONValue {
        .object([JSONValue.Member("other", .string(text))])
    }

    /// Whether the cell of an option means chosen. Nil if it means neither.
    static func chosen(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "1", "1.0", "true", "yes", "y", "x": true
        case "", "0", "0.0", "false", "no", "n": false
        default: nil
        }
    }

    /// Whether a cell means that the participant abstained: it is `abstain` or the label, with or without white space
    /// around it.
    static func isAbstention(_ cell: String, label: String) -> Bool {
        let text = cell.trimmingCharacters(in: .whitespacesAndNewlines)
        return text == Limits.abstention || text == label.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A number in canonical form, or the abstention. Other text is left for validation to reject.
    private static func rating(_ text: String, abstain: String?, labels: [String: Int]) -> JSONValue {
        if let abstain, isAbstention(text, label: abstain) { return .string(Limits.abstention) }
        if let value = labels[text] { return JSONValue(value) }
        if let whole = Int(text) { return JSONValue(whole) }
        return ValueOrder.number(text).map { JSONValue($0) } ?? .string(text)
    }

    /// The map's option with this id or, if there is none, with this label. If no label matches exactly, labels are
    /// compared under Unicode canonical equivalence, and then without the white space around the value.
    private static func choice(_ value: String, options: [JSONValue], acceptsOther: Bool) -> JSONValue {
        let known =
            option(named: value, in: options)
            ?? option(named: value.trimmingCharacters(in: .whitespacesAndNewlines), in: options)
        return known?["id"] ?? (acceptsOther ? other(value) : .string(value))
    }

    private static func option(named value: String, in options: [JSONValue]) -> JSONValue? {
        let exact = ExactText(value)
        return options.first { $0["id"]?.string == value }
            ?? options.first { $0["label"]?.string.map { ExactText($0) } == exact }
            ?? options.first { $0["label"]?.string == value }
    }

    /// The options that the values of one cell name, each once. Values that name none are left for validation to reject,
    /// or are one's own words together.
    private static func several(
        _ values: [String], _ options: [JSONValue], isDerived: Bool, acceptsOther: Bool
    ) -> [JSONValue] {
        var chosen: [JSONValue] = []
        var unknown: [String] = []
        for value in values {
            let exact = ExactText(value)
            let known =
                isDerived
                ? options.first { $0["label"]?.string.map { ExactText($0) } == exact }
                : option(named: value, in: options)
            guard let id = known?["id"] else {
                unknown.append(value)
                continue
            }
            if !chosen.contains(id) { chosen.append(id) }
        }
        guard !unknown.isEmpty else { return chosen }
        return chosen + (acceptsOther ? [other(unknown.joined(separator: ", "))] : unknown.map { .string($0) })
    }

    /// The option derived from this value. The id is not compared, because another value of the file may equal the id.
    private static func derived(_ value: String, options: [JSONValue], acceptsOther: Bool) -> JSONValue {
        let exact = ExactText(value)
        let option = options.first { $0["label"]?.string.map { ExactText($0) } == exact }
        return option?["id"] ?? (acceptsOther ? other(value) : .string(value))
    }
}
