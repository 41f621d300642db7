import Cryptography
import Domain
import Store
import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a file will become, decided before anything is stored: the form, the series with their meetings, the rows.
public struct ImportPlan: Sendable {
    public struct Series: Sendable {
        public var id: UUID
        public var title: String
        /// In the order of their rounds, which count from 1.
        public var meetings: [Meeting]
    }

    public struct Meeting: Sendable {
        public var id: UUID
        public var round: Int
        public var title: String
        /// Nil together with `endsAt` for an undated meeting.
        public var startsAt: Date?
        public var endsAt: Date?
        public var timeZone: String
        /// Numbers for `row(_:)`, in the order of the file.
        public var rows: [Int]
    }

    /// One submission to be.
    public struct Row: Sendable, Equatable {
        public var line: Int
        /// The idempotency key: the hash of series, meeting, mapped values and the ordinal among equals.
        public var key: String
        /// The answers as a participant would have sent them, not yet validated.
        public var answers: JSONValue
        public var submittedAt: Date?
    }

    /// The questions of every meeting's form, options found in the file among them.
    public let questions: [Question]
    /// Keys of the choices whose options were found in the file.
    let derived: Set<String>
    public let series: [Series]
    /// How many rows the meetings have together.
    public let rowCount: Int
    /// Rows refused before validation, in the order of the file.
    public let refused: [RefusedRow]
    let table: PlannedTable
    /// For a count that is independent of the answers above.
    let sources: [SourceReader]

    var importedQuestions: ImportedQuestions { ImportedQuestions(questions, derived: derived) }

    /// A row of a meeting; decoded each time it is asked for, since all of them would fill the memory.
    public func row(_ number: Int) -> Row {
        table.row(number)
    }

    /// Equal where a file has the same rows for a meeting in the same order.
    func digest(of meeting: Meeting) -> String {
        var hash = SHA256()
        for number in meeting.rows { hash.update(Array(table.key(number).utf8)) }
        return hash.finish().prefix(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// The report's line for a fault that validation found in a row.
    public func refusal(of row: Int, for fault: Fault) -> RefusedRow {
        RefusedRow(
            line: table.lines[row], column: table.column(at: fault.pointer), code: fault.code, reason: fault.detail)
    }

    /// The report's line for a row that the store does not take.
    func refusal(of row: Int, for problem: Problem) -> RefusedRow {
        let reason =
            switch problem.code {
            case .idempotencyConflict: "The row was imported before with other answers, by another map."
            case .meetingOverlap: "The meeting overlaps another of the same host."
            default: problem.detail ?? problem.code.title + "."
            }
        return RefusedRow(line: table.lines[row], column: "", code: problem.code.rawValue, reason: reason)
    }
}
