import Domain
import Foundation
import StrictJSON

/// Reads the cells of one question as the values that the results should count. Options are counted by label, not id.
struct SourceReader: Sendable {
    /// A counted value: a rating or its abstention, an option's label, or `other` for the participant's own words.
    enum Value: Hashable, Sendable {
        case label(ExactText)
        case other

        var text: String {
            switch self {
            case .label(let label): label.string
            case .other: "Other"
            }
        }
    }

    let key: String
    let kind: String
    private let source: ImportQuestion.Source
    private let numbers: MappedColumns.QuestionColumns
    private let derivesOptions: Bool
    private let separator: String?
    /// The ids and labels of the options that the map lists.
    private let options: [(id: String, label: String)]
    /// The label of a rating's abstention.
    private let abstain: String?
    private let pointLabels: [String: Int]
    private let columns: MappedColumns

    init(_ question: ImportQuestion, _ numbers: MappedColumns.QuestionColumns, _ columns: MappedColumns) {
        (key, kind, source, derivesOptions) = (question.key, question.kind, question.source, question.derivesOptions)
        (self.numbers, self.columns, separator) = (numbers, columns, question.separator)
        abstain = question.definition["abstain"]?.string
        pointLabels = question.pointLabels
        options = (question.definition["options"]?.array ?? []).map {
            ($0["id"]?.string ?? "", $0["label"]?.string ?? "")
        }
    }

    /// The values of a row. Nil if the question was skipped. A text question has no values.
    func values(_ row: Int) -> [Value]? {
        let cells = numbers.main.map { columns.columns[$0].value(row) }
        let other: [Value] = numbers.other.flatMap { columns.columns[$0].value(row) } == nil ? [] : [.other]
        if case .options(let named) = source {
            let chosen = zip(named, cells).compactMap { option, cell -> Value? in
                guard let cell, !["", "0", "0.0", "false", "no", "n"].contains(cell.lowercased()) else { return nil }
                guard option.id != "other" else { return .other }
                return options.first { $0.id == option.id }.map { .label(ExactText($0.label)) }
            }
            let values = chosen + (chosen.contains(.other) ? [] : other)
            return values.isEmpty ? nil : values
        }
        if let separator {
            let parts = CellParts.split(cells[0] ?? "", by: separator).map { part -> Value in
                if numbers.other != nil, part == "other" { return .other }
                return derivesOptions ? .label(ExactText(part)) : listedOption(part)
            }
            var values: [Value] = []
            for value in parts + other where !values.contains(value) { values.append(value) }
            return values.isEmpty ? nil : values
        }
        guard let cell = cells[0] else { return other.isEmpty ? nil : other }
        switch kind {
        case "text": return cell.unicodeScalars.allSatisfy(\.properties.isWhitespace) ? nil : []
        case "rating":
            if let abstain, AnswerReader.isAbstention(cell, label: abstain) {
                return [.label(ExactText(Limits.abstention))]
            }
            if let value = pointLabels[cell] { return [.label(ExactText(String(value)))] }
            return [.label(ExactText(Double(cell).map { String(Int($0)) } ?? cell))]
        default:
            guard other.isEmpty, numbers.other == nil || cell != "other" else { return [.other] }
            return [derivesOptions ? .label(ExactText(cell)) : listedOption(cell)]
        }
    }

    /// The option that the map lists with this id or label; `other` if there is none.
    private func listedOption(_ cell: String) -> Value {
        func label(_ cell: String) -> String? {
            let exact = ExactText(cell)
            return options.first { $0.id == cell }?.label ?? options.first { ExactText($0.label) == exact }?.label
                ?? options.first { $0.label == cell }?.label
        }
        let known = label(cell) ?? label(cell.trimmingCharacters(in: .whitespacesAndNewlines))
        return known.map { .label(ExactText($0)) } ?? .other
    }
}
