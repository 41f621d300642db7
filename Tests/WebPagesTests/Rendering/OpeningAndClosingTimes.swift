import Contract
import Foundation
import StrictJSON
import Testing

@testable import WebPages

/// The fields for the times at which a form opens and closes.
@Suite struct OpeningAndClosingTimes {
    private static func json(_ fields: String) -> String {
        MomentField(FormFields(fields), "closes").json(zone: .gmt).text
    }

    @Test(arguments: [
        ("", "null"), ("closes.mode=none&closes.amount=3", "null"),
        ("closes.mode=after-end&closes.amount=2&closes.unit=days", #"{"from":"end","minutes":2880}"#),
        ("closes.mode=before-start&closes.amount=90&closes.unit=minutes", #"{"from":"start","minutes":-90}"#),
        ("closes.mode=after-start&closes.amount=+0+&closes.unit=hours", #"{"from":"start","minutes":0}"#),
        ("closes.mode=after-end&closes.amount=soon&closes.unit=hours", #"{"from":"end","minutes":"soon"}"#),
        ("closes.mode=after-end&closes.amount=&closes.unit=hours", #"{"from":"end","minutes":""}"#),
        ("closes.mode=after-end&closes.amount=2&closes.unit=years", #"{"from":"end","minutes":"2"}"#),
        (
            "closes.mode=after-end&closes.amount=9223372036854775807&closes.unit=days",
            #"{"from":"end","minutes":9223372036854775807}"#
        ),
        (
            "closes.mode=before-start&closes.amount=-9223372036854775808&closes.unit=minutes",
            #"{"from":"start","minutes":9223372036854775807}"#
        ),
        ("closes.mode=nonsense&closes.amount=2", #"{"from":"nonsense","minutes":120}"#),
        ("closes.mode=at&closes.at=2026-11-22T09:30", #""2026-11-22T09:30:00Z""#),
        ("closes.mode=at&closes.at=tomorrow", #""tomorrow""#), ("closes.mode=at", #""""#),
    ])
    func fieldsAreSentInTheAPIsFormat(fields: String, json: String) {
        #expect(Self.json(fields) == json)
    }

    @Test(arguments: [
        (2880, "after-end", "2", "days"), (-90, "before-end", "90", "minutes"), (180, "after-end", "3", "hours"),
        (0, "after-end", "0", "hours"), (.min, "before-end", "9223372036854775808", "minutes"),
    ])
    func offsetsAreShownInTheLargestWholeUnit(minutes: Int, mode: String, amount: String, unit: String) {
        let field = MomentField(.offset(from: "end", minutes: minutes), zone: .gmt)
        #expect(field.mode == mode && field.amount == amount && field.unit == unit)
    }

    @Test func offsetsAreResolvedFromTheMeetingsTimes() {
        let (start, end) = (Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 3600))
        let before = MomentField(.offset(from: "start", minutes: -1), zone: .gmt)
        #expect(before.resolved(start: start, end: end, zone: .gmt) == Date(timeIntervalSince1970: -60))
        var after = MomentField(.offset(from: "end", minutes: 1), zone: .gmt)
        #expect(after.resolved(start: start, end: end, zone: .gmt) == Date(timeIntervalSince1970: 3660))
        #expect(after.resolved(start: nil, end: nil, zone: .gmt) == nil)
        // A field keeps the amount that was typed before another mode was chosen.
        after.mode = "none"
        #expect(after.resolved(start: start, end: end, zone: .gmt) == nil)
        #expect(MomentField().resolved(start: start, end: end, zone: .gmt) == nil)
    }

    @Test(arguments: [
        "2026-11-22T09:30", "2026-03-29T01:59", "2026-03-29T03:00", "0001-01-01T00:00", "2024-02-29T23:59",
        "2026-11-22T09:30:15",
    ])
    func localTimesRoundTripInTheirZone(text: String) throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let date = try #require(LocalTime(zone: zone).parse(text))
        #expect(LocalTime(zone: zone).field(date) == text)
    }

    @Test func timeThatTheClockSkipsIsNil() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        #expect(LocalTime(zone: zone).parse("2026-03-29T02:30") == nil)
    }

    @Test(arguments: [
        "", "T", "2026-11-22", "2026-11-22T", "2026-11-22T9", "2026-13-01T09:00", "2026-02-30T09:00",
        "2026-11-22T24:00",
        "2026-11-22T09:60", "2026-11-22T09:30:60", "x-11-22T09:30", "2026-11-22T09:30:15:1", "2026--22T09:30",
        "10000-01-01T00:00", "\u{662}\u{660}\u{662}\u{666}-11-22T09:30", "2026-11-22T09:30:\u{661}\u{665}",
    ])
    func invalidTimesAreNil(text: String) {
        #expect(LocalTime(zone: .gmt).parse(text) == nil)
    }
}
