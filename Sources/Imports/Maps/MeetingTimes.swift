import Foundation
import StrictJSON

/// Parses the time columns. Each distinct text is parsed once.
struct MeetingTimes: Sendable {
    typealias Span = (startsAt: Date, endsAt: Date)

    private static let maximumDuration: TimeInterval = 366 * 86_400

    /// The times of a column, by code. Texts that are not times are nil.
    struct TimeColumn: Sendable {
        let number: Int
        let name: String
        let times: [Date?]

        init(_ number: Int, _ columns: [CodedColumn], _ format: TimeFormat?) {
            self.number = number
            name = columns[number].name
            times = columns[number].values.map { format?.parse($0) ?? RFC3339.parse($0) }
        }

        /// Nil if the cell has no value.
        func time(_ row: Int, _ columns: [CodedColumn], line: Int) throws(RefusedRow) -> Date? {
            let code = columns[number].codes[row]
            guard code != 0 else { return nil }
            guard let time = times[Int(code)] else {
                throw RefusedRow(
                    line: line, column: name, code: "invalid-time",
                    reason: "A time such as 2026-11-21T09:30:00Z is expected here.")
            }
            return time
        }
    }

    private let starts: TimeColumn
    private let ends: TimeColumn

    init?(_ mapped: MappedColumns, _ format: TimeFormat?) {
        guard let startsAt = mapped.startsAt, let endsAt = mapped.endsAt else { return nil }
        starts = TimeColumn(startsAt, mapped.columns, format)
        ends = TimeColumn(endsAt, mapped.columns, format)
    }

    /// The start and end of the row's meeting. Nil if the row has neither.
    func span(_ row: Int, _ columns: [CodedColumn], line: Int) throws(RefusedRow) -> Span? {
        let start = try starts.time(row, columns, line: line)
        let end = try ends.time(row, columns, line: line)
        switch (start, end) {
        case (nil, nil): return nil
        case (let start?, let end?) where start < end:
            guard end.timeIntervalSince(start) <= Self.maximumDuration else {
                throw RefusedRow(
                    line: line, column: ends.name, code: "meeting-too-long", reason: "A meeting lasts at most 366 days."
                )
            }
            return (start, end)
        case (_?, _?):
            throw RefusedRow(
                line: line, column: ends.name, code: "ends-before-start",
                reason: "The meeting ends before it starts.")
        case (nil, _):
            throw RefusedRow(
                line: line, column: starts.name, code: "required", reason: "The row has an end but no start.")
        case (_, nil):
            throw RefusedRow(
                line: line, column: ends.name, code: "required", reason: "The row has a start but no end.")
        }
    }
}
