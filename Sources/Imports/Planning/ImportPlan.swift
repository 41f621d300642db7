import Cryptography
import Domain
import Foundation
import Store
import StrictJSON

/// The result of reading a file before anything is stored: the form, the series with their meetings, and the rows.
public struct ImportPlan: Sendable {
    public struct Series: Sendable {
        public var id: UUID
        public var title: String
        /// In the order of rounds, whose numbers start at 1.
        public var meetings: [Meeting]
        /// Whether the map names the series by its id, so that it has to exist.
        public var isExisting = false
    }

    public struct Meeting: Sendable {
        public var id: UUID
        public var round: Int
        public var title: String
        /// Nil, like `endsAt`, if the meeting has no date.
        public var startsAt: Date?
        public var endsAt: Date?
        /// Whether the meeting may be at the same time as others of its host.
        public var allowsOverlap = false
        public var timeZone: String
        /// Row numbers for `row(_:)`, in the order of the file.
        public var rows: [Int]
    }

    /// One submission to import.
    public struct Row: Sendable, Equatable {
        public var line: Int
        /// The idempotency key: a hash of the values in all mapped columns and the row's ordinal among identical rows.
        public var key: String
        /// The answers as a participant would send them, not yet validated.
        public var answers: JSONValue
        public var submittedAt: Date?
    }

    /// The questions of every meeting's form, with options derived from the file.
    public let questions: [Question]
    /// The keys of choice questions whose options were derived from the file.
    let derived: Set<String>
    public let series: [Series]
    /// The number of rows in all meetings.
    public let rowCount: Int
    /// The rows that were refused before their answers were validated, in the order of the file.
    public let refused: [RefusedRow]
    let table: PlannedTable
    /// The readers that count the file's values independently of the answers, for `SourceCheck`.
    let sources: [SourceReader]

    var importedQuestions: ImportedQuestions { ImportedQuestions(questions, derived: derived) }

    /// A row of a meeting. It is decoded on each call, because all decoded rows would not fit into memory.
    public func row(_ number: Int) -> Row {
        table.row(number)
    }

    /// A digest of a meeting's rows. It is equal for files with the same rows in the same order.
    ///
    /// Many rows take seconds, in which other tasks get their turns.
    func digest(of meeting: Meeting) async throws -> String {
        var hash = SHA256()
        for (index, number) in meeting.rows.enumerated() {
            if index % Self.rowsPerTurn == 0 { try await Self.yield() }
            hash.update(Array(table.key(number).utf8))
        }
        return hash.finish().prefix(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// The number of rows that a task processes before it lets others run.
    static let rowsPerTurn = 100

    /// Lets other tasks run. Throws if this task has been cancelled.
    static func yield() async throws {
        try Task.checkCancellation()
        await Task.yield()
    }

    /// The report's entry for a fault that validation found in a row.
    public func refusal(of row: Int, for fault: Fault) -> RefusedRow {
        RefusedRow(
            line: table.lines[row], column: table.column(at: fault.pointer), code: fault.code, reason: fault.detail)
    }

    /// The report's entry for a row that the store refused.
    func refusal(of row: Int, for problem: Problem) -> RefusedRow {
        let reason =
            switch problem.code {
            case .idempotencyConflict: "The row was already imported with other answers, by another map."
            case .meetingOverlap: "The meeting overlaps another one of the same host."
            default: problem.detail ?? problem.code.title + "."
            }
        return RefusedRow(line: table.lines[row], column: "", code: problem.code.rawValue, reason: reason)
    }
}
