import Domain
import Foundation
import Store

/// Writes the submissions of one form as lines of CSV or NDJSON, from the bytes of the database.
///
/// A row of cells needs a JSON tree, the answers in order and a string for each text, which takes several times as long
/// as the query. Columns and their values are those of `SubmissionsTable`. A record with hidden texts, or with a
/// notation that `StoredAnswerScanner` does not know, has no such line and is written by its cells.
struct SubmissionLines {
    /// A column group with what is derived from it. It is a class because a copy would retain its arrays for each row.
    private final class Group {
        let columns: ColumnGroup
        let (isSingle, isMultiple, hasOther): (Bool, Bool, Bool)
        let options: [[UInt8]]
        /// Whether this form asks a choice, so that a string is an id.
        let isChoice: Bool
        /// The selections of a single choice that have occurred, with their encoded text.
        var selections: [(id: [UInt8], text: [UInt8])] = []

        init(_ columns: ColumnGroup, in form: PreparedForm) {
            self.columns = columns
            (isSingle, isMultiple, hasOther) = (columns.isSingle, columns.isMultiple, columns.hasOther)
            options = columns.options.map { Array($0.utf8) }
            isChoice = form.question(columns.key)?.kind.name == .choice
        }
    }

    /// The id of the participant's own words.
    private static let other = Array("other".utf8)

    private let table: SubmissionsTable
    private let syntax: LineSyntax
    /// The start of each line: the columns before the id.
    private let lead: [UInt8]
    private let groups: [Group]
    /// The keys in the order of `jsonb`, by length and then by bytes, with their group.
    private let keys: [(bytes: [UInt8], group: Int)]
    /// The answer to each group in the current record.
    private var answers: [StoredAnswerScanner.Answer?]
    /// The selections in the current record, as positions in its JSON text.
    private var ids: [Range<Int>] = []
    /// The last time, because submissions of the same second follow each other.
    private var time: (second: Double, text: [UInt8]) = (-.infinity, [])

    init(_ table: SubmissionsTable, of form: PreparedForm, at meeting: Meeting, syntax: LineSyntax) {
        (self.table, self.syntax) = (table, syntax)
        groups = table.groups.map { Group($0, in: form) }
        keys = table.groups.enumerated().map { (Array($1.key.utf8), $0) }.sorted { left, right in
            left.0.count == right.0.count ? left.0.lexicographicallyPrecedes(right.0) : left.0.count < right.0.count
        }
        answers = Array(repeating: nil, count: groups.count)
        var lead = syntax.start
        if table.hasRounds {
            for (index, cell) in [Cell.integer(meeting.round), .text(meeting.title)].enumerated() {
                lead += syntax.leads[index]
                syntax.append(cell, to: &lead)
            }
        }
        self.lead = lead
    }

    /// Appends the line of a record. Returns false, with nothing appended, if it has none.
    mutating func append(_ record: SubmissionRecord, to bytes: inout [UInt8]) throws -> Bool {
        guard !record.hasHiddenTexts, let id = record.id, let json = record.answers else { return false }
        let start = bytes.count
        let isWritten = try json.withMemoryRebound(to: UInt8.self) { json in
            guard scan(json) else { return false }
            var column = try appendFacts(record, id, to: &bytes)
            for index in groups.indices {
                guard append(groups[index], answers[index], in: json, from: &column, to: &bytes) else { return false }
            }
            bytes.append(contentsOf: syntax.end)
            return true
        }
        if isWritten { return true }
        bytes.removeSubrange(start...)
        return false
    }

    /// Finds the answer to each group. Returns false at a notation that the scanner does not know.
    private mutating func scan(_ json: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in answers.indices { answers[index] = nil }
        ids.removeAll(keepingCapacity: true)
        var scanner = StoredAnswerScanner(json)
        // The keys are in the same order in all records, so the next one is usually found at once.
        var expected = 0
        while let (range, answer) = scanner.next(&ids) {
            let key = UnsafeBufferPointer(rebasing: json[range])
            guard
                let place = keys[expected...].firstIndex(where: { key.isEqual(to: $0.bytes) })
                    ?? keys[..<expected].firstIndex(where: { key.isEqual(to: $0.bytes) })
            else { continue }
            expected = place + 1
            let group = keys[place].group
            answers[group] = answer
            if groups[group].isChoice, case .string(let id) = answer {
                guard !id.isEscaped else { return false }
                ids.append(id.range)
                answers[group] = .selections(ids.count - 1..<ids.count, other: nil)
            }
        }
        return scanner.isComplete
    }

    /// Appends the columns before those of answers and returns their number.
    private mutating func appendFacts(
        _ record: SubmissionRecord, _ id: UnsafeRawBufferPointer, to bytes: inout [UInt8]
    ) throws -> Int {
        var column = table.hasRounds ? 2 : 0
        bytes.append(contentsOf: lead)
        bytes.append(contentsOf: syntax.leads[column])
        bytes.appendQuoted(id)
        bytes.append(contentsOf: syntax.leads[column + 1])
        let submittedAt = try record.submittedAt
        let second = submittedAt.timeIntervalSince1970.rounded(.down)
        if second != time.second {
            time = (second, [])
            syntax.append(.instant(submittedAt), to: &time.text)
        }
        bytes.append(contentsOf: time.text)
        bytes.append(contentsOf: syntax.leads[column + 2])
        bytes.appendDecimal(try record.version)
        column += 3
        guard table.hasPeople else { return column }
        for text in [try record.name, try record.email] {
            bytes.append(contentsOf: syntax.leads[column])
            syntax.append(.text(text), to: &bytes)
            column += 1
        }
        return column
    }

    /// Appends the columns of one group. Returns false at an escape that cannot be written.
    ///
    /// It is mutating because the compiler passes a copy of the struct to other methods here, with a retain of each
    /// array.
    private mutating func append(
        _ group: Group, _ answer: StoredAnswerScanner.Answer?, in json: UnsafeBufferPointer<UInt8>,
        from column: inout Int, to bytes: inout [UInt8]
    ) -> Bool {
        if group.isSingle {
            begin(&column, &bytes)
            switch answer {
            case .integer(let digits): bytes.append(contentsOf: json[digits])
            case .string(let text): guard append(text, in: json, to: &bytes) else { return false }
            case .selections(let chosen, let other) where !group.isMultiple && (other != nil || !chosen.isEmpty):
                appendSelection(other == nil ? json[ids[chosen.lowerBound]] : nil, of: group, to: &bytes)
            case .selections, nil: syntax.appendEmpty(to: &bytes)
            }
        }
        guard case .selections(let chosen, let other) = answer else {
            for _ in 0..<group.options.count + (group.hasOther ? (group.isMultiple ? 2 : 1) : 0) {
                begin(&column, &bytes)
                syntax.appendEmpty(to: &bytes)
            }
            return true
        }
        for option in group.options {
            begin(&column, &bytes)
            let isChosen = ids[chosen].contains { UnsafeBufferPointer(rebasing: json[$0]).isEqual(to: option) }
            bytes.append(isChosen ? 0x31 : 0x30)
        }
        guard group.hasOther else { return true }
        if group.isMultiple {
            begin(&column, &bytes)
            bytes.append(other != nil ? 0x31 : 0x30)
        }
        begin(&column, &bytes)
        return append(other, in: json, to: &bytes)
    }

    private func begin(_ column: inout Int, _ bytes: inout [UInt8]) {
        bytes.append(contentsOf: syntax.leads[column])
        column += 1
    }

    private func append(
        _ text: StoredAnswerScanner.Text?, in json: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]
    ) -> Bool {
        guard let text else {
            syntax.appendEmpty(to: &bytes)
            return true
        }
        return syntax.append(
            escaped: UnsafeBufferPointer(rebasing: json[text.range]), isEscaped: text.isEscaped, to: &bytes)
    }

    /// Appends the selection of a single choice; nil for the participant's own words.
    private func appendSelection(
        _ id: Slice<UnsafeBufferPointer<UInt8>>?, of group: Group, to bytes: inout [UInt8]
    ) {
        let id = id.map { UnsafeBufferPointer(rebasing: $0) }
        for known in group.selections where id?.isEqual(to: known.id) ?? (known.id == Self.other) {
            return bytes.append(contentsOf: known.text)
        }
        let bytesOfID = id.map(Array.init) ?? Self.other
        var text: [UInt8] = []
        syntax.append(table.selection(String(decoding: bytesOfID, as: UTF8.self), of: group.columns), to: &text)
        group.selections.append((bytesOfID, text))
        bytes.append(contentsOf: text)
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func isEqual(to other: [UInt8]) -> Bool { count == other.count && elementsEqual(other) }
}

extension [UInt8] {
    /// Appends the 16 bytes of a UUID as lower-case text in quotes, which both formats have in common.
    fileprivate mutating func appendQuoted(_ uuid: UnsafeRawBufferPointer) {
        func digit(_ nibble: UInt8) -> UInt8 { nibble + (nibble < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) }
        append(UInt8(ascii: "\""))
        for (index, byte) in uuid.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 { append(UInt8(ascii: "-")) }
            append(digit(byte >> 4))
            append(digit(byte & 15))
        }
        append(UInt8(ascii: "\""))
    }
}
