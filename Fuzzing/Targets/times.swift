import Contract
import Domain
import Foundation
import StrictJSON

@testable import WebPages

extension FuzzTarget {
    /// Times and days as texts: RFC 3339, what a browser sends for an input with a date and a time, offsets, and days,
    /// in time zones with unusual rules.
    static let times: Run = { input in
        guard let (selector, rest) = input.choice else { return }
        let text = rest.text
        checkInstant(text)
        let clock = LocalTime(Zones.all[selector % Zones.all.count])
        // A host can type the name of a zone.
        if selector >= 240 { _ = LocalTime(text).field(.distantPast) }
        checkLocalTime(text, clock)
        checkMoment(text, clock)
        if let day = LocalDay(text) { _ = day.label(withYear: true) }
        _ = LocalTime.dayText(text, in: .korean)
        checkMonth(text, clock)
    }

    private static func checkInstant(_ text: String) {
        guard let date = RFC3339.parse(text) else { return }
        let written = RFC3339.format(date)
        law(written.utf8.count == 20, "A written time has 20 characters.")
        guard let again = RFC3339.parse(written) else { return law(false, "A written time is read.") }
        law(RFC3339.format(again) == written, "A written time is read as the same.")
        let upper = text.uppercased()
        law(!upper.hasSuffix("Z") || upper.hasPrefix(written.dropLast()), "A time in UTC stays as it was.")
        let seconds = date.timeIntervalSince1970
        // An offset can lead beyond the years that have four digits.
        guard -62_167_219_200...253_402_300_799 ~= seconds else { return }
        law(again.timeIntervalSince1970 == seconds.rounded(.down), "Fractions are cut off.")
        // Before 1583, Foundation uses another calendar.
        guard seconds > -12_000_000_000 else { return }
        law((try? Date(written, strategy: .iso8601)) == again, "Foundation reads the same time in \(written).")
        let style = Date.ISO8601FormatStyle().timeZoneSeparator(.colon)
        guard text.utf8.count == 25, "+-".contains(text.dropLast(5).last ?? "Z"), let other = try? style.parse(text)
        else { return }
        law(other == date, "Foundation reads the same time in \(text).")
    }

    private static func checkLocalTime(_ text: String, _ clock: LocalTime) {
        guard let date = clock.parse(text) else { return }
        let field = clock.field(date)
        law(isSame(String(field.prefix(10)), String(text.prefix(10))), "The day of \(text) is that of \(field).")
        law(text.dropFirst(11).hasPrefix(field.dropFirst(11).prefix(5)), "The time of \(text) is that of \(field).")
        law(isSame(clock.field(clock.parse(field) ?? .distantPast), field), "A field is read as the same.")
        _ = (clock.text(date, in: .english), clock.weekdayText(date, in: .korean, now: date))
    }

    private static func checkMonth(_ text: String, _ clock: LocalTime) {
        guard let month = CalendarMonth(text, in: clock) else { return }
        law(isSame(month.text, text), "A month is written as it was read.")
        law(isSame(month.following.previous.text, text), "The month before the next one is the same.")
        let days = month.weeks(beginning: 2).joined().compactMap(\.self)
        law(28...31 ~= days.count && days.allSatisfy { $0.text.hasPrefix(text) }, "A month has its days.")
    }

    /// The three lines are the mode, the time or number, and the unit.
    private static func checkMoment(_ text: String, _ clock: LocalTime) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 3 else { return }
        var fields = FormFields()
        for (name, value) in zip(["mode", "at", "unit"], lines) { fields.add("opens.\(name)", value) }
        fields.add("opens.amount", lines[1])
        let field = MomentField(fields, "opens")
        let json = field.json(zone: clock.zone)
        _ = field.resolved(start: .distantPast, end: .distantFuture, zone: clock.zone)
        // Text that is not a local time is sent as it was typed.
        guard MomentField.modes.contains(field.mode), field.isOffset || clock.parse(field.at) != nil,
            let body = try? ContractCoding.decoder().decode(MomentBody.self, from: Data(json.bytes))
        else { return }
        let shown = MomentField(body, zone: clock.zone)
        law(shown.json(zone: clock.zone) == json || Zones.isRepeated(body, clock), "A shown moment is sent as it was.")
    }
}

private enum Zones {
    /// Zones with half-hour offsets, with clock changes at midnight or of half an hour, and at the date line.
    static let all: [String?] = [
        nil, "UTC", "Europe/Berlin", "Asia/Seoul", "America/New_York", "Asia/Kathmandu", "America/Sao_Paulo",
        "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca", "Antarctica/Troll", "Not/AZone",
    ]

    /// Whether the moment is the second occurrence of a local time, after the clock was set back. A field means the
    /// first occurrence.
    static func isRepeated(_ body: MomentBody, _ clock: LocalTime) -> Bool {
        guard case .instant(let date) = body else { return false }
        return clock.parse(clock.field(date)) != date
    }
}
