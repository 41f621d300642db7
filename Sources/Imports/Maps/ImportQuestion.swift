import StrictJSON

/// One question of a map: its columns, and its definition in the form.
public struct ImportQuestion: Sendable {
    public enum Source: Sendable {
        /// One column contains the answer.
        case column(String)
        /// A yes/no column for each option, in the map's order.
        case options([(id: String, column: String)])
    }

    public var key: String
    public var kind: String
    public var source: Source
    /// What is between several values in a cell of a multiple choice. Nil if a cell has one value.
    public var separator: String?
    /// The column with the free text of `other`.
    public var otherColumn: String?
    public var guarded: Bool
    /// The question in a form's JSON. Its options are a placeholder if they come from the file.
    public var definition: JSONValue
    /// Whether the options are derived from the column's values.
    public var derivesOptions: Bool

    /// The values in one cell.
    func parts(of cell: String) -> [String] { separator.map { CellParts.split(cell, by: $0) } ?? [cell] }

    /// The values of a rating by the labels of its points, for files that name the points. Labels that are numbers do
    /// not count.
    var pointLabels: [String: Int] {
        guard kind == "rating", let labels = definition["labels"]?.array else { return [:] }
        let values = labels.enumerated().compactMap { index, label in
            label.string.flatMap { Double($0) == nil ? ($0, (definition["min"]?.int ?? 1) + index) : nil }
        }
        return Dictionary(values, uniquingKeysWith: { first, _ in first })
    }

    /// The definition with the placeholder replaced by these options.
    func definition(options: [JSONValue]) -> JSONValue {
        Self.setting("options", .array(options), in: definition)
    }

    static func setting(_ name: String, _ value: JSONValue, in object: JSONValue) -> JSONValue {
        var members = object.members ?? []
        members.removeAll { $0.name == name }
        members.append(JSONValue.Member(name, value))
        return .object(members)
    }

    static func option(id: String, label: String) -> JSONValue {
        .object([JSONValue.Member("id", .string(id)), JSONValue.Member("label", .string(label))])
    }
}

extension ImportQuestion {
    /// Reads the columns of a map's question. The remaining members are validated by the rules for forms.
    ///
    /// Returns nil without a fault if the value is not an object.
    static func read(_ value: JSONValue, at pointer: String, guarded: Bool, faults: inout [Fault]) -> ImportQuestion? {
        guard let members = value.members else { return nil }
        let mapMembers: Set = ["column", "columns", "separator", "otherColumn", "guarded"]
        let reader = ObjectReader(.object(members.filter { mapMembers.contains($0.name) }), at: pointer)
        var definition = JSONValue.object(members.filter { !mapMembers.contains($0.name) })
        defer { faults += reader.finish() }

        let kind = definition["kind"]?.string ?? ""
        let source = source(reader)
        let separator = separator(reader)
        let otherColumn = reader.string("otherColumn")
        let guarded = reader.bool("guarded") ?? guarded
        let hasOptions = !(definition["options"] ?? .null).isNull
        var derivesOptions = false

        if kind == "choice" {
            switch source {
            case .options(let columns):
                definition = filling("multiple", .bool(true), in: definition)
                if separator != nil {
                    reader.fault(at: "separator", code: "two-sources", "A column for each option has no separator.")
                }
                if definition["multiple"] == .bool(false) {
                    reader.fault(
                        at: "columns", code: "single-choice", "Only a multiple choice has one column per option.")
                }
                checkOptions(columns, definition, reader)
                if !hasOptions { definition = setting("options", options(columns), in: definition) }
            case .column:
                if separator != nil { definition = filling("multiple", .bool(true), in: definition) }
                if separator != nil, definition["multiple"] == .bool(false) {
                    reader.fault(at: "separator", code: "single-choice", "Only a multiple choice has a separator.")
                }
                if separator == nil, definition["multiple"] == .bool(true) {
                    reader.fault(
                        at: "column", code: "multiple-choice",
                        "A multiple choice has one column per option, or a separator.")
                }
                derivesOptions = !hasOptions
                if derivesOptions {
                    let placeholder = option(id: "placeholder", label: "placeholder")
                    definition = setting("options", .array([placeholder]), in: definition)
                }
            case nil: break
            }
            if otherColumn != nil { definition = filling("other", .bool(true), in: definition) }
        } else {
            for name in ["columns", "separator", "otherColumn"] where reader.has(name) {
                reader.fault(at: name, code: "not-a-choice", "Only a choice has \(name).")
            }
        }
        if otherColumn != nil, definition["other"] == .bool(false) {
            reader.fault(at: "otherColumn", code: "no-other", "The definition of the question excludes “other”.")
        }
        guard let source else { return nil }
        return ImportQuestion(
            key: definition["key"]?.string ?? "", kind: kind, source: source, separator: separator,
            otherColumn: otherColumn,
            guarded: guarded, definition: definition, derivesOptions: derivesOptions)
    }

    private static func separator(_ reader: ObjectReader) -> String? {
        guard let separator = reader.string("separator") else { return nil }
        if separator.isEmpty {
            reader.fault(at: "separator", code: "required", "The separator is empty.")
        } else if separator.utf8.count > maxSeparatorBytes {
            reader.fault(at: "separator", code: "too-long", "A separator has at most \(maxSeparatorBytes) bytes.")
        }
        return separator
    }

    private static let maxSeparatorBytes = 16

    private static func source(_ reader: ObjectReader) -> Source? {
        guard let columns = reader.value("columns") else {
            return reader.requiredString("column").map(Source.column)
        }
        if reader.has("column") {
            reader.fault(at: "columns", code: "two-sources", "A question has either column or columns.")
        }
        guard let members = columns.members, members.allSatisfy({ $0.value.string != nil }) else {
            reader.fault(
                .malformed, at: "columns", code: "wrong-type", "An object of option ids and their columns is expected.")
            return nil
        }
        return .options(members.map { ($0.name, $0.value.string ?? "") })
    }

    private static func filling(_ name: String, _ value: JSONValue, in object: JSONValue) -> JSONValue {
        (object[name] ?? .null).isNull ? setting(name, value, in: object) : object
    }

    /// Options labeled with their columns' headings. `other` is not an option.
    private static func options(_ columns: [(id: String, column: String)]) -> JSONValue {
        .array(columns.filter { $0.id != "other" }.map { option(id: $0.id, label: $0.column) })
    }

    private static func checkOptions(
        _ columns: [(id: String, column: String)], _ definition: JSONValue, _ reader: ObjectReader
    ) {
        guard let options = definition["options"]?.array else { return }
        let ids = Set(options.compactMap { $0["id"]?.string })
        for (id, _) in columns where id != "other" && !ids.contains(id) {
            reader.fault(at: "columns", code: "unknown-option", "There is no option “\(id)”.")
        }
    }
}
