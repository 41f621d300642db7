import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// A month of a host's meetings, by the days of the host's own time zone.
struct CalendarPages: Sendable {
    /// The meetings of one page of the API, and the most pages that are read.
    private static let (limit, pages) = (200, 3)

    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/calendar", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let session = try HostSession(page)
        let profile: Profile = try await session.get("/v1/me")
        let (place, now) = (LocalTime(profile.timeZone), Date())
        let month = CalendarMonth(page.query["month"] ?? "", in: place) ?? CalendarMonth(of: now, in: place)
        let zone = PathQuery.encode(place.zone.identifier)
        let days: CalendarDays = try await session.get(
            "/v1/calendar?from=\(month.firstDay)&to=\(month.following.firstDay)&timeZone=\(zone)")
        let (meetings, isCut) = try await meetings(of: month, session)
        let byDay = Dictionary(grouping: meetings) { place.day($0.startsAt ?? now) }
        let today = place.day(now)
        let counts = Dictionary(days.items.map { ($0.date, $0) }) { first, _ in first }
        let firstWeekday = page.language == .korean ? 1 : 2
        let weeks = month.weeks(beginning: firstWeekday).map { week in
            CalendarPage.Week(
                days: week.map { day in
                    guard let day else { return .init(class: "empty other") }
                    return cell(day, byDay[day.text] ?? [], counts[day.text], isToday: day.text == today, place, page)
                })
        }
        return page.page(
            CalendarPage(
                title: page.texts("calendar.title"), month: month.title(page.language), previous: month.previous.text,
                following: month.following.text, isNow: month.text == CalendarMonth(of: now, in: place).text,
                isEmpty: meetings.isEmpty, isCut: isCut,
                weekdays: CalendarMonth.weekdays(beginning: firstWeekday, page.language), weeks: weeks,
                zone: page.texts("calendar.zone", ["zone": place.name])))
    }

    /// The meetings sorted by their start, and whether there are more.
    private func meetings(of month: CalendarMonth, _ session: HostSession) async throws -> ([Meeting], Bool) {
        let period = "from=\(RFC3339.format(month.start))&to=\(RFC3339.format(month.following.start))"
        var (all, cursor): ([Meeting], String?) = ([], nil)
        for _ in 0..<Self.pages {
            let more = cursor.map { "&cursor=" + PathQuery.encode($0) } ?? ""
            let found: MeetingList = try await session.get("/v1/meetings?limit=\(Self.limit)&\(period)\(more)")
            all += found.items
            cursor = found.next
            if cursor == nil { break }
        }
        return (all.reversed(), cursor != nil)
    }

    private func cell(
        _ day: CalendarMonth.Day, _ meetings: [Meeting], _ counts: CalendarDay?, isToday: Bool, _ place: LocalTime,
        _ page: PageRequest
    ) -> CalendarPage.Cell {
        .init(
            class: (meetings.isEmpty && !isToday ? "empty" : "") + (isToday ? " today" : ""), isToday: isToday,
            day: .init(
                date: day.text, number: day.number, weekday: day.weekday(page.language),
                meetings: meetings.map { meeting in
                    .init(
                        id: "\(meeting.id)",
                        // Of `2026-11-21T09:30:59`.
                        time: meeting.startsAt.map { String(place.field($0).dropFirst(11).prefix(5)) } ?? "",
                        title: meeting.title, isOpen: meeting.form.state == "open")
                },
                counts: counts.flatMap { Self.words($0, page.texts) }))
    }

    /// Nil for a day without attendees and submissions.
    private static func words(_ counts: CalendarDay, _ texts: PageTexts) -> String? {
        var parts: [String] = []
        if counts.attended > 0 { parts.append(texts("people.came", ["count": "\(counts.attended)"])) }
        if counts.submissions > 0 {
            let words = counts.submissions == 1 ? "results.one-answer" : "results.answers"
            parts.append(texts(words, ["count": "\(counts.submissions)"]))
        }
        return parts.isEmpty ? nil : parts.joined(separator: " · ")
    }
}
