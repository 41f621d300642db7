import Cryptography
import Domain
import Foundation
import Spreadsheets
import Store
import StrictJSON

/// Writes one export. The HTTP API and the command line both use it, so their output is the same.
public struct Export: Sendable {
    /// The totals of a complete export.
    public struct Totals: Sendable, Equatable {
        public var rows: Int
        /// SHA-256 of all bytes.
        public var digest: [UInt8]
        public var bytes: Int
    }

    /// The number of bytes after which the output is flushed to the sink.
    static let chunk = 64 * 1024
    /// The number of cells of submissions after which the output is flushed if it is full. A chunk from the database may
    /// become a hundred megabytes of rows if the table has many columns.
    static let cellsPerPart = 16_384
    static let meetingsPerQuery = 200
    /// The number of forms whose results are computed at once. One form may have 5,000 buckets.
    static let formsPerQuery = 10

    let kind: ExportKind
    let scope: ExportScope
    let options: ExportOptions
    let reader: ExportReader
    /// Whether the recipient may see the attendee list.
    private let includesAttendees: Bool
    /// The table of submissions as of `prepare`; nil for other kinds.
    private let submissions: SubmissionsTable?
    /// Held until the last byte is written or the export is abandoned.
    private let permit: ExportPermit

    /// Checks whether the export is possible and waits briefly for a permit. Throws a `Problem` before any byte is
    /// written.
    ///
    /// - Parameters:
    ///   - account: The requesting account; nil for the command line.
    ///   - includesAttendees: Whether the recipient may see the attendee list. If not, `submissions` has no names and
    ///     addresses, and `attendance` throws 403.
    ///   - disconnect: Ends the connection to a reader that takes nothing while other exports wait; nil if it can't be
    ///     ended.
    public static func prepare(
        _ kind: ExportKind, of scope: ExportScope, for account: UUID? = nil, includesAttendees: Bool,
        options: ExportOptions, from store: Store, disconnect: (@Sendable () -> Void)? = nil
    ) async throws -> Export {
        guard includesAttendees || kind != .attendance else { throw Problem(.forbidden) }
        let permit = try await store.exports.admit(for: account, disconnect: disconnect)
        var table: SubmissionsTable?
        switch kind {
        case .submissions:
            table = try await withTaskExecutorPreference(ExportThreads.shared) {
                try await submissionsTable(
                    of: scope, includesAttendees: includesAttendees, options: options, from: store.exports)
            }
            if case .meeting(let id) = scope.extent { try await store.exports.requireReleased(id) }
        case .answers:
            if case .meeting(let id) = scope.extent { try await store.exports.requireReleased(id) }
        case .summary, .questions, .meetings, .attendance: break
        }
        return Export(
            kind: kind, scope: scope, options: options, reader: store.exports, includesAttendees: includesAttendees,
            submissions: table, permit: permit)
    }

    private static func submissionsTable(
        of scope: ExportScope, includesAttendees: Bool, options: ExportOptions, from reader: ExportReader
    ) async throws -> SubmissionsTable {
        var includesRounds = true
        switch scope.extent {
        case .all:
            throw Problem(
                invalid: "?what", code: "several-series",
                "Submissions of several series have no common columns: export `answers` instead.")
        case .meeting: includesRounds = false
        case .series: break
        }
        let (questions, hasAnonymousForm, hasAttendeeForm) = try await reader.questions(in: scope)
        guard !hasAnonymousForm else { throw Problem(.anonymousForm) }
        let table = SubmissionsTable(
            questions: questions, includesRounds: includesRounds,
            includesPeople: hasAttendeeForm && includesAttendees, writesLabels: options.writesTitles,
            writesMarks: options.marks)
        if options.format == .xlsx { try requireRoom(for: table.columns) }
        return table
    }

    private static func requireRoom(for columns: [Column]) throws {
        let maxColumns = SheetLimits().columns
        guard columns.count > maxColumns else { return }
        throw Problem(
            invalid: "?what", code: "too-many-columns",
            """
            A sheet has at most \(maxColumns) columns, but this table has \(columns.count): export it as CSV or \
            NDJSON, or export `answers` instead.
            """)
    }

    private func columns(_ table: SubmissionsTable?) -> [Column] {
        switch kind {
        case .summary:
            SummaryTable.columns + (options.room ? SummaryTable.roomColumns : [])
                + (options.grids ? QuestionsTable.gridColumns : [])
        case .questions:
            QuestionsTable.columns + (options.room ? QuestionsTable.roomColumns : [])
                + (options.grids ? QuestionsTable.gridColumns : [])
        case .meetings: MeetingsTable.columns
        case .answers: AnswersTable.columns + (options.marks ? AnswersTable.markColumns : [])
        case .attendance: AttendanceTable.columns
        case .submissions: table?.columns ?? []
        }
    }

    /// Writes the header and all rows to `sink` in chunks. An error of `sink` stops the export. The rows are made on
    /// `ExportThreads`.
    ///
    /// If a form gets questions after `prepare`, the table of submissions gets columns for them. If part of the file
    /// has already been written by then, throws a `Problem`, because the file would lack the answers to them.
    ///
    /// - Parameter limit: The time after which no further part is written and 503 is thrown. While an export reads a
    ///   form, no anonymous form can become final, because the export's snapshot still has the rows in their order.
    public func write(
        within limit: Duration? = nil, isolation: isolated (any Actor)? = #isolation,
        to sink: ([UInt8]) async throws -> Void
    ) async throws -> Totals {
        let end = limit.map { ContinuousClock.now + $0 }
        return try await withTaskExecutorPreference(ExportThreads.shared) {
            try await writeRows { bytes in
                if let end, .now >= end { throw Problem(.overloaded, "The export took too long.") }
                try await permit.writing { try await sink(bytes) }
            }
        }
    }

    private func writeRows(
        isolation: isolated (any Actor)? = #isolation, to sink: ([UInt8]) async throws -> Void
    ) async throws -> Totals {
        var table = submissions
        while true {
            var output = ExportOutput(kind, of: scope, columns: columns(table), options: options)
            do {
                try await writeMeetings(table, into: &output, sink)
                try await output.finish(sink)
                return output.totals
            } catch is QuestionsChanged {
                guard output.totals.bytes == 0 else {
                    throw Problem(
                        .preconditionFailed, "The questions were changed while the file was written: export again.")
                }
                table = try await Self.submissionsTable(
                    of: scope, includesAttendees: includesAttendees, options: options, from: reader)
            }
        }
    }

    private func writeMeetings(
        _ table: SubmissionsTable?, into output: inout ExportOutput, isolation: isolated (any Actor)? = #isolation,
        _ sink: ([UInt8]) async throws -> Void
    ) async throws {
        var last: Meeting?
        while true {
            let meetings = try await reader.meetings(in: scope, after: last, limit: Self.meetingsPerQuery)
            try await write(meetings, table, into: &output, sink)
            last = meetings.last
            if meetings.count < Self.meetingsPerQuery { break }
        }
    }

    private func write(
        _ meetings: [Meeting], _ table: SubmissionsTable?, into output: inout ExportOutput,
        isolation: isolated (any Actor)? = #isolation, _ sink: ([UInt8]) async throws -> Void
    ) async throws {
        switch kind {
        case .meetings:
            for meeting in meetings {
                output.append([MeetingsTable.row(MeetingContext(meeting))])
                try await output.flushIfFull(sink)
            }
        case .summary, .questions:
            for start in stride(from: 0, to: meetings.count, by: Self.formsPerQuery) {
                let batch = Array(meetings[start..<min(start + Self.formsPerQuery, meetings.count)])
                let results = try await reader.results(of: batch)
                for meeting in batch {
                    let context = MeetingContext(meeting)
                    let questions = results[meeting.form.id]?.questions ?? []
                    let rooms = options.room ? questions.map { $0.placed(in: meeting.room) } : nil
                    let (withRoom, withGrids) = (rooms != nil, options.grids)
                    if kind == .summary {
                        output.append(
                            SummaryTable.rows(
                                context, rooms ?? questions, withRoom: withRoom, withGrids: withGrids),
                            grids: Question.grids(in: questions))
                    } else {
                        output.append(
                            QuestionsTable.rows(
                                context, rooms ?? questions, withRoom: withRoom, withGrids: withGrids))
                    }
                    try await output.flushIfFull(sink)
                }
            }
        case .attendance: try await writeAttendance(of: meetings, into: &output, sink)
        case .submissions, .answers:
            for listed in meetings {
                // The list may be old by now: the form may have become anonymous, or the meeting may have been deleted.
                let meetingScope = ExportScope(.meeting(listed.id))
                guard let meeting = try await reader.meetings(in: meetingScope, after: nil, limit: 1).first else {
                    continue
                }
                try await writeAnswers(of: meeting, table, into: &output, sink)
            }
        }
    }

    private func writeAttendance(
        of meetings: [Meeting], into output: inout ExportOutput, isolation: isolated (any Actor)? = #isolation,
        _ sink: ([UInt8]) async throws -> Void
    ) async throws {
        let meetingsByID = Dictionary(uniqueKeysWithValues: meetings.map { ($0.id, $0) })
        try await reader.attendance(of: meetings.map(\.id)) { people in
            for person in people {
                guard let meeting = meetingsByID[person.meetingID] else { continue }
                output.append([AttendanceTable.row(person, at: meeting)])
            }
            try await output.flushIfFull(sink)
        }
    }
}

extension MeetingContext {
    init(_ meeting: Meeting) {
        let hasEnded = meeting.endsAt.map { meeting.now >= $0 } ?? false
        self.init(
            seriesID: meeting.seriesID, series: meeting.series, round: meeting.round, meetingID: meeting.id,
            meeting: meeting.title, host: meeting.host, localDate: meeting.localDate, startsAt: meeting.startsAt,
            endsAt: meeting.endsAt, timeZone: meeting.timeZone, headcount: meeting.headcount,
            attended: meeting.attended, late: meeting.late, absent: hasEnded ? meeting.unseen : 0,
            submissions: meeting.form.submissions, responseRate: FormResults.responseRate(meeting)?.rate)
    }
}
