import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// A month of a host's meetings, by the days of the host's own time zone.
struct CalendarPages: Sendable {
    /// As many meetings as one page of the API has, and as many pages.
    private static let (limit, pages) = (200, 3)

    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/calendar", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        let profile: Profile = try await visit.get("/v1/me")
        let (place, now) = (LocalTime(profile.timeZone), Date())
        let month = CalendarMonth(page.query["month"] ?? "", in: place) ?? CalendarMonth(of: now, in: place)
        let zone = PathQuery.encode(place.zone.identifier)
        let days: CalendarDays = try await visit.get(
            "/v1/calendar?from=\(month.firstDay)&to=\(month.following.firstDay)&timeZone=\(zone)")
        let (meetings, isCut) = try await meetings(of: month, visit)
        let byDay = Dictionary(grouping: meetings) { place.day($0.startsAt ?? now) }
        let today = place.day(now)
        let counts = Dictionary(days.items.map { ($0.date, $0) }) { first, _ in first }
        let weeks = month.weeks(beginning: page.language == .korean ? 1 : 2).map { week in
            [
                "days": week.map { day in
                    guard let day else { return ["class": "empty other"] as [String: Any] }
                    return cell(day, byDay[day.text] ?? [], counts[day.text], isToday: day.text == today, place, page)
                }
            ]
        }
        return page.page(
            "calendar",
            [
                "title": page.texts("calendar.title"), "month": month.title(page.language), "weeks": weeks,
                "weekdays": CalendarMonth.weekdays(beginning: page.language == .korean ? 1 : 2, page.language),
                "previous": month.previous.text, "following": month.following.text,
                "isNow": month.text == CalendarMonth(of: now, in: place).text, "isEmpty": meetings.isEmpty,
                "isCut": isCut, "zone": page.texts("calendar.zone", ["zone": place.name]),
            ])
    }

    /// The soonest first, and whether there are more than fit.
    private func meetings(of month: CalendarMonth, _ visit: HostSession) async throws -> ([Meeting], Bool) {
        let period = "from=\(RFC3339.format(month.start))&to=\(RFC3339.format(month.following.start))"
        var (all, cursor): ([Meeting], String?) = ([], nil)
        for _ in 0..<Self.pages {
            let more = cursor.map { "&cursor=" + PathQuery.encode($0) } ?? ""
            let found: MeetingList = try await visit.get("/v1/meetings?limit=\(Self.limit)&\(period)\(more)")
            all += found.items
            cursor = found.next
            if cursor == nil { break }
        }
        return (all.reversed(), cursor != nil)
    }

    private func cell(
        _ day: CalendarMonth.Day, _ meetings: [Meeting], _ counts: CalendarDay?, isToday: Bool, _ place: LocalTime,
        _ page: PageRequest
    ) -> [String: Any] {
        var values: [String: Any] = [
            "class": (meetings.isEmpty && !isToday ? "empty" : "") + (isToday ? " today" : ""), "isToday": isToday,
            "date": day.text, "number": day.number, "weekday": day.weekday(page.language), "isDay": true,
            "meetings": meetings.map { meeting -> [String: Any] in
                [
                    "id": "\(meeting.id)", "title": meeting.title, "isOpen": meeting.form.state == "open",
                    // Of `2026-11-21T09:30:59`.
                    "time": meeting.startsAt.map { String(place.field($0).dropFirst(11).prefix(5)) } ?? "",
                ]
            },
        ]
        if let counts { values["counts"] = Self.words(counts, page.texts) }
        return values
    }

    /// Without numbers of what nobody took down; nil of a day that has none.
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
