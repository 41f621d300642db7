import Domain
import Foundation
import StrictJSON

/// Groups rows into meetings and meetings into series. Rejects rows that do not belong to any meeting.
struct MeetingPlan {
    static let maximumTitleLength = 300

    let map: ImportMap
    let hostID: UUID
    let columns: MappedColumns
    let table: PlannedTable
    private(set) var refused: [RefusedRow] = []
    private(set) var rowCount = 0

    /// The rank of a series, and the rank of a meeting within it.
    private struct Group: Hashable, Comparable {
        var series: Int
        var meeting: Int

        static func < (left: Group, right: Group) -> Bool {
            (left.series, left.meeting) < (right.series, right.meeting)
        }
    }

    mutating func series() throws(ImportFailure) -> [ImportPlan.Series] {
        let groups = groups()
        let times = MeetingTimes(columns, map.times)
        var result: [ImportPlan.Series] = []
        var currentSeries: Int?
        for (group, rows) in groups.sorted(by: { $0.key < $1.key }) {
            if group.series != currentSeries {
                currentSeries = group.series
                let title = try title(map.series.title, rows[0], at: "/series/title")
                let value = columns.series.flatMap { columns.columns[$0].value(rows[0]) } ?? map.series.title.source
                let id = map.series.id ?? ImportIdentity.series(host: hostID, by: map.series.by, value: value)
                result.append(
                    ImportPlan.Series(id: id, title: title, meetings: [], isExisting: map.series.id != nil))
            }
            let last = result.count - 1
            let meeting = try meeting(
                rows, in: result[last].id, round: result[last].meetings.count + 1, times: times)
            result[last].meetings.append(meeting)
        }
        return result
    }

    /// The rows of each meeting, in the order of the file.
    private mutating func groups() -> [Group: [Int]] {
        let seriesRanks = ranks(columns.series, descending: false)
        let meetingRanks = ranks(columns.meeting, descending: map.meeting.order == .descending)
        var groups: [Group: [Int]] = [:]
        for row in table.lines.indices {
            guard let series = rank(row, columns.series, seriesRanks),
                let meeting = rank(row, columns.meeting, meetingRanks)
            else { continue }
            groups[Group(series: series, meeting: meeting), default: []].append(row)
        }
        return groups
    }

    /// The rank of each code of a column.
    private func ranks(_ column: Int?, descending: Bool) -> [Int] {
        guard let column else { return [] }
        let codes = columns.columns[column].sortedCodes
        var ranks = [Int](repeating: 0, count: codes.count + 1)
        for (position, code) in codes.enumerated() { ranks[Int(code)] = descending ? -position : position }
        return ranks
    }

    private mutating func rank(_ row: Int, _ column: Int?, _ ranks: [Int]) -> Int? {
        guard let column else { return 0 }
        let code = columns.columns[column].codes[row]
        guard code == 0 else { return ranks[Int(code)] }
        refused.append(
            RefusedRow(
                line: table.lines[row], column: columns.columns[column].name, code: "required",
                reason: "The row has no value for the series or meeting that it belongs to."))
        return nil
    }

    private mutating func meeting(
        _ rows: [Int], in series: UUID, round: Int, times: MeetingTimes?
    ) throws(ImportFailure) -> ImportPlan.Meeting {
        let title = try title(map.meeting.title, rows[0], at: "/meeting/title")
        let value = columns.meeting.flatMap { columns.columns[$0].value(rows[0]) } ?? map.meeting.title.source
        var meeting = ImportPlan.Meeting(
            id: ImportIdentity.meeting(series: series, by: map.meeting.by, value: value), round: round, title: title,
            startsAt: nil, endsAt: nil, timeZone: map.meeting.timeZone, rows: [])
        var isDated: Bool?
        for row in rows {
            do throws(RefusedRow) {
                let span = try times?.span(row, columns.columns, line: table.lines[row])
                if isDated == nil {
                    isDated = span != nil
                    (meeting.startsAt, meeting.endsAt) = (span?.startsAt, span?.endsAt)
                } else if span?.startsAt != meeting.startsAt || span?.endsAt != meeting.endsAt {
                    throw RefusedRow(
                        line: table.lines[row], column: map.meeting.startsAt ?? "", code: "other-time",
                        reason: "The row's time differs from that of its meeting's earlier rows.")
                }
                if let refusal = table.refusal(row) { throw refusal }
                meeting.rows.append(row)
            } catch {
                refused.append(error)
            }
        }
        rowCount += meeting.rows.count
        if map.meeting.isDatedByRows { dateByRows(&meeting) }
        return meeting
    }

    /// The meeting begins with the hour of its first row. Meetings of the same hour are no conflict, because nobody has
    /// chosen this time.
    private func dateByRows(_ meeting: inout ImportPlan.Meeting) {
        let times = meeting.rows.compactMap { row in
            table.submittedAt.flatMap { try? $0.time(row, columns.columns, line: table.lines[row]) }
        }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: meeting.timeZone) ?? .gmt
        guard let first = times.min(), let hour = calendar.dateInterval(of: .hour, for: first) else { return }
        (meeting.startsAt, meeting.endsAt) = (hour.start, hour.start.addingTimeInterval(3_600))
        meeting.allowsOverlap = true
    }

    private func title(_ template: TitleTemplate, _ row: Int, at pointer: String) throws(ImportFailure) -> String {
        let title = columns.title(template, row: row)
        guard !title.utf8.contains(0), title.contains(where: { !$0.isWhitespace }),
            title.count <= Self.maximumTitleLength
        else {
            let detail =
                "Line \(table.lines[row]) gives a title that is blank, contains NUL or is longer than "
                + "\(Self.maximumTitleLength) characters."
            throw .map([Fault(.invalid, at: pointer, code: "invalid-title", detail)])
        }
        return title
    }
}
