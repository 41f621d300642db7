import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import Imports

/// Times that other services write.
@Suite struct TimesInOtherOrders {
    private static let berlin = TimeZone(identifier: "Europe/Berlin")!

    @Test(arguments: [
        ("2026-11-27 20:35:12", TimeFormat.Order.ymd, "2026-11-27T19:35:12Z"),
        ("2026/11/27 8:35:12 PM GMT+1", .ymd, "2026-11-27T19:35:12Z"),
        ("2026/11/27 12:05:00 AM GMT+9", .ymd, "2026-11-26T15:05:00Z"),
        ("2026. 11. 27 오후 8:35:12", .ymd, "2026-11-27T19:35:12Z"),
        ("11/27/26 20:35:12", .mdy, "2026-11-27T19:35:12Z"),
        ("11/27/2026 8:35 pm", .mdy, "2026-11-27T19:35:00Z"),
        ("27.11.2026 20:35", .dmy, "2026-11-27T19:35:00Z"),
        ("27.11.2026", .dmy, "2026-11-26T23:00:00Z"),
        ("27.11.2026, 20:35:12", .dmy, "2026-11-27T19:35:12Z"),
        ("1-7-2026 00:00", .dmy, "2026-06-30T22:00:00Z"),
        ("2026-11-27T20:35:12+09:00", .dmy, "2026-11-27T11:35:12Z"),
        ("27.11.2026 20:35:12.123 +0100", .dmy, "2026-11-27T19:35:12Z"),
    ])
    func timeIsRead(_ text: String, _ order: TimeFormat.Order, _ expected: String) throws {
        let date = try #require(TimeFormat(order: order, timeZone: Self.berlin).parse(text))
        #expect(RFC3339.format(date) == expected)
    }

    @Test(arguments: [
        "", "yesterday", "31.02.2026 10:00", "32.01.2026", "1.13.2026", "27.11.2026 24:00", "27.11.2026 10:60",
        "27.11.2026 13:00 PM", "27.11.20266", "27.11.2026 10", "27.11.2026 10:00 and more", "27.11", "=1+1",
        "99999.11.2026", "27.11.2026 10:00 +123", "27/11/",
    ])
    func otherTextIsNoTime(_ text: String) {
        #expect(TimeFormat(order: .dmy, timeZone: .gmt).parse(text) == nil)
    }

    @Test func mapNamesOrderAndZone() throws {
        let map = try Sample.map(
            #""column":"why","key":"why","kind":"text","title":"T""#,
            more: #""submittedAt":"when","times":{"order":"dmy","timeZone":"Europe/Berlin"},"#)
        var planner = ImportPlanner(map: map, hostID: UUID())
        try planner.read(Array("when,why\n27.11.2026 20:35,a\n11/27/2026,b\n".utf8))
        let plan = try planner.finish()
        #expect(plan.rowCount == 1 && plan.refused.map(\.code) == ["invalid-time"])
        let row = plan.row(try #require(plan.series.first?.meetings.first?.rows.first))
        #expect(row.submittedAt.map { RFC3339.format($0) } == "2026-11-27T19:35:00Z")
    }

    @Test(arguments: [
        (#"{"order":"ydm"}"#, "/times/order"), (#"{}"#, "/times/order"),
        (#"{"order":"dmy","timeZone":"Mars/Base"}"#, "/times/timeZone"),
        (#"{"order":"dmy","zone":"UTC"}"#, "/times/zone"),
    ])
    func faultsOfTheFormatAreReported(_ format: String, _ pointer: String) {
        #expect {
            try Sample.map(
                #""column":"why","key":"why","kind":"text","title":"T""#, more: #""times":\#(format),"#)
        } throws: { error in
            "\(error)".contains(pointer)
        }
    }
}
