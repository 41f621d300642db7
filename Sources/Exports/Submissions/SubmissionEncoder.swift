import Domain
import Foundation
import Store

/// Encodes the submissions of one form as lines of CSV or NDJSON or as rows of a sheet, from the bytes of the database.
///
/// Making a row of cells takes several times as long as the query, because it needs a JSON tree, the answers in order
/// and a string for each text. The columns and values are those of `SubmissionsTable`. A record with hidden texts, or
/// with a notation that `StoredAnswerScanner` does not know, is written as cells instead.
struct SubmissionEncoder {
    /// A column group with values derived from it. It is a class because copies of a struct would retain its arrays for
    /// each row.
    private final class Group {
        let columns: ColumnGroup
        let (isSingle, isMultiple, hasOther): (Bool, Bool, Bool)
        let options: [[UInt8]]
        /// Whether the question is a choice in this form, so that a string is an option's id.
        let isChoice: Bool
        /// Whether the question is a rating in this form, so that a string is the abstention.
        let isRating: Bool
        /// The selections of a single choice that have occurred, with their encoded values.
        var selections: [(id: [UInt8], value: [UInt8])] = []

        init(_ columns: ColumnGroup, options: [[UInt8]], in form: PreparedForm) {
            self.columns = columns
            self.options = options
            (isSingle, isMultiple, hasOther) = (columns.isSingle, columns.isMultiple, columns.hasOther)
            let kind = form.question(columns.key)?.kind.name
            (isChoice, isRating) = (kind == .choice, kind == .rating)
        }
    }

    /// The option id for the participant's own words.
    private static let other = Array("other".utf8)

    private let table: SubmissionsTable
    /// The values of the columns before the id.
    private let lead: [[UInt8]]
    private let empty: [UInt8]
    /// The values of an option that was not selected, and of an option that was.
    private let flags: (no: [UInt8], yes: [UInt8])
    private let groups: [Group]
    /// The answer to each group in the current record.
    private var answers: [StoredAnswerScanner.Answer?]
    /// The selections in the current record, as positions in its JSON text.
    private var ids: [Range<Int>] = []
    private var idText: [UInt8] = []
    /// The last time and version with their encoded values, because consecutive submissions often share them.
    private var time: (second: Double, value: [UInt8]) = (-.infinity, [])
    private var version: (number: Int, value: [UInt8]) = (.min, [])

    /// - Parameter syntax: The syntax of all rows.
    init(_ table: SubmissionsTable, of form: PreparedForm, at meeting: Meeting, in syntax: some RowSyntax) {
        self.table = table
        groups = zip(table.groups, table.names.options).map { Group($0, options: $1, in: form) }
        answers = Array(repeating: nil, count: groups.count)
        let leadCells = table.hasRounds ? [Cell.integer(meeting.round), .text(meeting.title)] : []
        lead = leadCells.map(syntax.value)
        empty = syntax.value(.empty)
        flags = (syntax.value(.flag(false)), syntax.value(.flag(true)))
    }

    /// Appends the cells of a record. If it can't be encoded, returns false and may leave some cells appended.
    mutating func append(
        _ record: SubmissionRecord, in syntax: some RowSyntax, to bytes: inout [UInt8]
    ) throws -> Bool {
        guard !record.hasHiddenTexts, let id = record.id, let json = record.answers else { return false }
        return try json.withMemoryRebound(to: UInt8.self) { json in
            guard scan(json) else { return false }
            var column = try appendMetadata(record, id, in: syntax, to: &bytes)
            for index in groups.indices {
                guard append(groups[index], answers[index], of: json, from: &column, in: syntax, to: &bytes) else {
                    return false
                }
            }
            return true
        }
    }

    /// Finds the answer to each group. Returns false if the text has a notation that the scanner does not know.
    private mutating func scan(_ json: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in answers.indices { answers[index] = nil }
        ids.removeAll(keepingCapacity: true)
        var scanner = StoredAnswerScanner(json)
        // The keys are in the same order in all records, so the next one is usually found at once.
        var expected = 0
        while let (range, answer) = scanner.next(&ids) {
            let key = UnsafeBufferPointer(rebasing: json[range])
            guard let (group, position) = table.names.find(key, expected: expected) else { continue }
            expected = position + 1
            answers[group] = answer
            if groups[group].isChoice, case .string(let id) = answer {
                guard !id.hasEscapes else { return false }
                ids.append(id.range)
                answers[group] = .selections(ids.count - 1..<ids.count, other: nil)
            }
        }
        return scanner.isComplete
    }

    /// Appends the columns that precede the answers and returns their number.
    private mutating func appendMetadata(
        _ record: SubmissionRecord, _ id: UnsafeRawBufferPointer, in syntax: some RowSyntax, to bytes: inout [UInt8]
    ) throws -> Int {
        for column in lead.indices { syntax.append(value: lead[column], column: column, to: &bytes) }
        var column = lead.count
        idText.removeAll(keepingCapacity: true)
        idText.append(uuid: id)
        _ = idText.withUnsafeBufferPointer {
            syntax.append(jsonContents: $0, hasEscapes: false, column: column, to: &bytes)
        }
        let submittedAt = try record.submittedAt
        let second = submittedAt.timeIntervalSince1970.rounded(.down)
        if second != time.second { time = (second, syntax.value(.instant(submittedAt))) }
        syntax.append(value: time.value, column: column + 1, to: &bytes)
        let number = try record.version
        if number != version.number { version = (number, syntax.value(.integer(number))) }
        syntax.append(value: version.value, column: column + 2, to: &bytes)
        column += 3
        guard table.hasPeople else { return column }
        for text in [try record.name, try record.email] {
            syntax.append(value: syntax.value(.text(text)), column: column, to: &bytes)
            column += 1
        }
        return column
    }

    /// Appends the columns of one group. Returns false if a text can only be written as a cell.
    ///
    /// It is mutating because the compiler would pass a copy of the struct to a nonmutating method here, with a retain
    /// of each array.
    private mutating func append(
        _ group: Group, _ answer: StoredAnswerScanner.Answer?, of json: UnsafeBufferPointer<UInt8>,
        from column: inout Int, in syntax: some RowSyntax, to bytes: inout [UInt8]
    ) -> Bool {
        func append(_ value: [UInt8]) {
            syntax.append(value: value, column: column, to: &bytes)
            column += 1
        }
        func append(_ text: StoredAnswerScanner.Text) -> Bool {
            let source = UnsafeBufferPointer(rebasing: json[text.range])
            column += 1
            return syntax.append(jsonContents: source, hasEscapes: text.hasEscapes, column: column - 1, to: &bytes)
        }
        if group.isSingle {
            switch answer {
            case .integer(let digits):
                syntax.append(digits: UnsafeBufferPointer(rebasing: json[digits]), column: column, to: &bytes)
                column += 1
            case .string where group.isRating:
                append(syntax.value(.text(table.selection(Limits.abstention, of: group.columns))))
            case .string(let text): guard append(text) else { return false }
            case .selections(let chosen, let other) where !group.isMultiple && (other != nil || !chosen.isEmpty):
                append(selection(other == nil ? json[ids[chosen.lowerBound]] : nil, of: group, in: syntax))
            case .selections, nil: append(empty)
            }
        }
        guard case .selections(let chosen, let other) = answer else {
            for _ in 0..<group.options.count + (group.hasOther ? (group.isMultiple ? 2 : 1) : 0) { append(empty) }
            return true
        }
        for option in group.options {
            let isChosen = ids[chosen].contains { UnsafeBufferPointer(rebasing: json[$0]).isEqual(to: option) }
            append(isChosen ? flags.yes : flags.no)
        }
        guard group.hasOther else { return true }
        if group.isMultiple { append(other != nil ? flags.yes : flags.no) }
        if let other { return append(other) }
        append(empty)
        return true
    }

    /// The encoded value of a single choice's selection. The id is nil for the participant's own words.
    private func selection(
        _ id: Slice<UnsafeBufferPointer<UInt8>>?, of group: Group, in syntax: some RowSyntax
    ) -> [UInt8] {
        let id = id.map { UnsafeBufferPointer(rebasing: $0) }
        for known in group.selections where id?.isEqual(to: known.id) ?? (known.id == Self.other) { return known.value }
        let bytesOfID = id.map(Array.init) ?? Self.other
        let text = table.selection(String(decoding: bytesOfID, as: UTF8.self), of: group.columns)
        let value = syntax.value(.text(text))
        group.selections.append((bytesOfID, value))
        return value
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func isEqual(to other: [UInt8]) -> Bool { count == other.count && elementsEqual(other) }
}

extension [UInt8] {
    /// Appends the 16 bytes of a UUID as lower-case text.
    fileprivate mutating func append(uuid: UnsafeRawBufferPointer) {
        func digit(_ nibble: UInt8) -> UInt8 { nibble + (nibble < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) }
        for (index, byte) in uuid.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 { append(UInt8(ascii: "-")) }
            append(digit(byte >> 4))
            append(digit(byte & 15))
        }
    }
}
