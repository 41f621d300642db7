import Contract
import Foundation
import StrictJSON

/// A month of a host's meetings, in the host's own time zone.
struct CalendarPages: Sendable {
    /// The number of meetings in one response of the API, and the largest number of responses that are read.
    private static let (limit, maxPages) = (200, 3)

    var routes: [PageRoute] { [PageRoute("/calendar", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let profile: Profile = try await session.get("/v1/me")
        let (localTime, now) = (LocalTime(profile.timeZone), Date())
        let month = CalendarMonth(page.query["month"] ?? "", in: localTime) ?? CalendarMonth(of: now, in: localTime)
        let zone = PathQuery.encode(localTime.zone.identifier)
        let days: CalendarDays = try await session.get(
            "/v1/calendar?from=\(month.firstDay)&to=\(month.following.firstDay)&timeZone=\(zone)")
        let (meetings, isTruncated) = try await meetings(of: month, session)
        let byDay = Dictionary(grouping: meetings) { localTime.day($0.startsAt ?? now) }
        let today = localTime.day(now)
        let counts = Dictionary(days.items.map { ($0.date, $0) }) { first, _ in first }
        let firstWeekday = page.language.firstWeekday
        let weeks = month.weeks(beginning: firstWeekday).map { week in
            CalendarPage.Week(
                days: week.map { day in
                    guard let day else { return .init(class: "empty other") }
                    return cell(
                        day, byDay[day.text] ?? [], counts[day.text], isToday: day.text == today, localTime, page)
                })
        }
        return page.page(
            CalendarPage(
                title: page.texts("calendar.title"), month: month.title(page.language), previous: month.previous.text,
                following: month.following.text, isCurrent: month.text == CalendarMonth(of: now, in: localTime).text,
                isEmpty: meetings.isEmpty, isTruncated: isTruncated,
                weekdays: CalendarMonth.weekdays(beginning: firstWeekday, page.language), weeks: weeks,
                zone: page.texts("calendar.zone", ["zone": localTime.name])))
    }

    /// The meetings sorted by their start, and whether there are more.
    private func meetings(of month: CalendarMonth, _ session: HostSession) async throws -> ([Meeting], Bool) {
        let period = "from=\(RFC3339.format(month.start))&to=\(RFC3339.format(month.following.start))"
        var (newestFirst, cursor): ([Meeting], String?) = ([], nil)
        for _ in 0..<Self.maxPages {
            let cursorQuery = cursor.map { "&cursor=" + PathQuery.encode($0) } ?? ""
            let list: MeetingList = try await session.get("/v1/meetings?limit=\(Self.limit)&\(period)\(cursorQuery)")
            newestFirst += list.items
            cursor = list.next
            if cursor == nil { break }
        }
        return (newestFirst.reversed(), cursor != nil)
    }

    private func cell(
        _ day: CalendarMonth.Day, _ meetings: [Meeting], _ counts: CalendarDay?, isToday: Bool,
        _ localTime: LocalTime, _ page: PageRequest
    ) -> CalendarPage.Cell {
        let weekday = Date.FormatStyle(locale: page.language.locale, timeZone: localTime.zone).weekday(.wide)
        return .init(
            class: (meetings.isEmpty && !isToday ? "empty" : "") + (isToday ? " today" : ""), isToday: isToday,
            day: .init(
                date: day.text, number: day.number, weekday: day.noon.formatted(weekday),
                meetings: meetings.map { meeting in
                    .init(
                        id: "\(meeting.id)",
                        // The hour and minute of `2026-11-21T09:30:59`.
                        time: meeting.startsAt.map { String(localTime.field($0).dropFirst(11).prefix(5)) } ?? "",
                        title: meeting.title, isOpen: meeting.form.state == "open")
                },
                counts: counts.flatMap { Self.text(of: $0, page.texts) }))
    }

    /// The counts of a day as text. Nil for a day with neither attendees nor submissions.
    private static func text(of counts: CalendarDay, _ texts: PageTexts) -> String? {
        var parts: [String] = []
        if counts.attended > 0 { parts.append(texts("people.came", ["count": "\(counts.attended)"])) }
        if counts.submissions > 0 { parts.append(texts.answers(counts.submissions)) }
        return parts.isEmpty ? nil : parts.joined(separator: " · ")
    }
}
