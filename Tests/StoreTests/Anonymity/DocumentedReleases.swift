import Domain
import Foundation
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct DocumentedReleases {
    /// The cells of the row `name` in the example table of docs/statistics.md, without the name itself.
    private static func row(_ name: String) throws -> [String] {
        let page = try String(contentsOfFile: IndependentCheck.root + "/docs/statistics.md", encoding: .utf8)
        let lines = page.components(separatedBy: "## What a minimum group shows").last?.split(separator: "\n") ?? []
        let line = try #require(lines.first { $0.hasPrefix("| \(name) |") })
        return line.split(separator: "|").dropFirst().map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func releasesMatchTheDocumentedExample() async throws {
        let (submissions, shown) = (try Self.row("submissions"), try Self.row("shown"))
        #expect(submissions.count == 11 && shown.count == 11)
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(settings: #""minimumGroup": 3"#)
            for (step, expected) in zip(submissions, shown) {
                if step == "closed" {
                    _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
                } else {
                    _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting)
                }
                let results = try await fixture.store.results.read(meeting.form.id)
                #expect(results.questions[0].answered == Int(expected), "\(step)")
                #expect((results.withheld?.shown ?? results.submissions) == Int(expected), "\(step)")
            }
        }
    }
}
