import Foundation
import StrictJSON

/// All rows of a file in compact form, with the readers that decode a row.
struct PlannedTable: Sendable {
    let columns: [CodedColumn]
    let lines: [Int]
    let readers: [AnswerReader]
    let submittedAt: MeetingTimes.TimeColumn?
    /// The ordinal of each row among identical rows.
    let ordinals: [UInt32]

    func row(_ number: Int) -> ImportPlan.Row {
        ImportPlan.Row(
            line: lines[number], key: key(number), answers: answers(number),
            submittedAt: submittedAt.flatMap { try? $0.time(number, columns, line: lines[number]) })
    }

    /// The reason to reject a row before its answers are validated.
    func refusal(_ row: Int) -> RefusedRow? {
        for reader in readers {
            if let refusal = reader.refusal(row, columns, line: lines[row]) { return refusal }
        }
        do {
            _ = try submittedAt?.time(row, columns, line: lines[row])
            return nil
        } catch {
            return error
        }
    }

    /// The headings of the question's columns for a validation fault at `/answers/<key>`; empty for other faults.
    func column(at pointer: String) -> String {
        let parts = pointer.split(separator: "/")
        guard parts.count > 1, parts[0] == "answers" else { return "" }
        return readers.first { $0.key == parts[1] }?.columnNames ?? ""
    }

    private func answers(_ row: Int) -> JSONValue {
        .object(
            readers.compactMap { reader in
                reader.answer(row, columns).map { JSONValue.Member(reader.key, $0) }
            })
    }

    func key(_ row: Int) -> String {
        var input = HashInput()
        for column in columns { input.append(column.value(row)) }
        input.append(String(ordinals[row]))
        return input.hexDigest()
    }
}
