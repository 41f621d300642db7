import Domain
import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// Cross-tabs of questions with many options, which edits of the form have added.
@Suite(.timeLimit(.minutes(3))) struct LargeCrossTabs {
    private static func questions(_ edit: Int) -> String {
        let questions = ["first", "second"].map { key in
            let options = (0..<50).map { "{\"id\": \"o\(edit)_\($0)\", \"label\": \"\(edit)-\($0)\"}" }
            return "{\"key\": \"\(key)\", \"kind\": \"choice\", \"title\": \"\(key)\", "
                + "\"options\": [\(options.joined(separator: ", "))]}"
        }
        return "[\(questions.joined(separator: ", "))]"
    }

    @Test func tableWithTooManyCellsIsRefused() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(Self.questions(0))
            func refusal() async throws -> String? {
                try await problem {
                    _ = try await fixture.store.filters.crossTab(of: meeting, rows: "first", columns: "second")
                }?.faults.first?.code
            }
            for edit in 1...7 {
                #expect(try await refusal() == (edit * 50 * edit * 50 > Filters.maxCells ? "too-many-cells" : nil))
                let version = try await fixture.edit(meeting, settings: "", questions: Self.questions(edit)).version
                _ = try await fixture.submit(
                    "{\"first\": \"o\(edit)_0\", \"second\": \"o\(edit)_1\"}", to: meeting, version: version)
            }
            #expect(try await refusal() == "too-many-cells")
        }
    }
}
