import AfterwordClient
import Foundation

extension Afterword.Host {
    /// Moves a meeting so that it started `minutes` ago. Negative minutes move its start into the future.
    ///
    /// The service uses the database's clock, which cannot be set, so the meeting is moved instead.
    @discardableResult
    func advance(_ meeting: ResourceID, to minutes: Int) async throws -> Meeting {
        let planned = try await self.meeting(meeting)
        guard let start = planned.startsAt, let end = planned.endsAt else { return planned.value }
        let moved = Date.thisSecond - minutes.minutes
        return try await edit(
            planned, MeetingEdit(startsAt: .set(moved), endsAt: .set(moved + end.timeIntervalSince(start)))
        ).value
    }

    /// Changes the settings of a form.
    func editForm(_ meeting: ResourceID, _ change: (inout FormBody) -> Void) async throws {
        var form = try await form(of: meeting)
        change(&form.value.definition)
        _ = try await save(form)
    }
}

extension Pages {
    func all() async throws -> [Item] { try await first(.max) }
}

extension ExportDownload {
    /// The rows of a table in NDJSON.
    func rows() async throws -> [JSONValue] {
        try await collect().split(separator: UInt8(ascii: "\n")).map { try JSONValue.parse(Array($0)) }
    }
}

extension QuestionResults {
    /// The count of each bucket, in the form's order.
    var counts: [Int] { chart.map(\.count) }
    var countsByID: [String: Int] { Dictionary(chart.map { ($0.id, $0.count) }) { first, _ in first } }
}

extension Person {
    /// The numbers of all rounds and of those attended on time, attended late and missed; the current and the longest
    /// streak.
    var totals: [Int] { [rounds, present, late, absent, currentStreak, longestStreak] }
}

extension Date {
    /// The current time in whole seconds, like the times of meetings.
    static var thisSecond: Date { Date(timeIntervalSince1970: Date.now.timeIntervalSince1970.rounded(.down)) }

    /// The local day, such as `2026-11-21`, in the zone that is `hours` ahead of UTC.
    func day(east hours: Int = 0) -> String { String(RFC3339.format(self + hours.hours).prefix(10)) }
}

extension Int {
    var minutes: TimeInterval { TimeInterval(self) * 60 }
    var hours: TimeInterval { minutes * 60 }
    var days: TimeInterval { hours * 24 }
}
