import Domain
import Foundation

@testable import Exports

/// A meeting with its questions, for several suites.
enum Sample {
    static let meeting = MeetingContext(
        seriesID: uuid(1), series: "Retro", round: 2, meetingID: uuid(2), meeting: "Retro, \"the second\"",
        host: "Ada", localDate: "2026-11-21", startsAt: Date(timeIntervalSince1970: 1_795_253_400), endsAt: nil,
        timeZone: "Asia/Seoul", headcount: 10, attended: 8, late: 1, absent: 2, submissions: 4, responseRate: 0.4)

    static let pace = Question(key: "pace", title: "How was the pace?", kind: .rating(.init(min: 1, max: 3)))
    static let better = Question(key: "better", title: "What should change?", kind: .text(maxLength: 200))
    static let mood = Question(
        key: "mood", title: "Mood", kind: .choice(.init(options: [.init(id: "good", label: "Good")], other: true)))
    static let topics = Question(
        key: "topics", title: "What helped?",
        kind: .choice(
            .init(
                options: [.init(id: "demo", label: "The demo"), .init(id: "talk", label: "=Talk")], multiple: true,
                other: true)))

    static func uuid(_ last: UInt8) -> UUID {
        UUID(uuid: (1, 0xAB, 0, 0, 0, 0, 0x80, 0, 0x80, 0, 0, 0, 0, 0, 0, last))
    }

    /// A complete table as text.
    static func text(_ columns: [Column], _ rows: [[Cell]], _ options: ExportOptions = ExportOptions()) -> String {
        var writer = TableWriter(columns: columns, options: options)
        var bytes: [UInt8] = []
        writer.writeHeader(into: &bytes)
        for row in rows { writer.writeRow(row, into: &bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
