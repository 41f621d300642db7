import AfterwordClient
import Foundation
import TestSupport
import Testing

/// The code of the article "Your first meeting", run against a service.
@Suite(.timeLimit(.minutes(15))) struct FirstMeeting {
    @Test func articleMatchesTheService() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).csv").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await TestService.run { service in
            let (url, password) = (service.afterword.url, TestStore.password)
            var printed: [String] = []
            func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

            let afterword = Afterword(url: url)
            let host = try await afterword.signIn(email: "host@example.org", password: password)

            let meeting = try await host.createMeeting(
                MeetingRequest(
                    title: "Study group", headcount: 4,
                    questions: [
                        .rating("pace", "How was the pace?"),
                        .choice(
                            "topics", "What helped?",
                            options: [.init(id: "demo", label: "The demo"), .init(id: "talk", label: "The talk")],
                            multiple: true, other: true),
                        .text("better", "What should change?", maxLength: 200),
                    ]))
            var form = try await host.form(of: meeting.id)
            form.definition.identity = "device"
            form = try await host.save(form)
            try await host.publish(meeting.id)

            let asked = try await afterword.form(meeting.form.code)
            let key = DeviceKey()
            let receipt = try await afterword.submit(
                ["pace": 4, "topics": ["demo", .other("the snacks")], "better": "More time"], to: asked.code,
                device: key)
            try await afterword.submit(["pace": 5], to: asked.code, device: DeviceKey())

            try await afterword.correct(receipt, of: asked.code, to: ["pace": 3, "better": "Much more time"])

            do {
                try await afterword.submit(["pace": 9], to: asked.code, device: DeviceKey())
            } catch let problem as AfterwordProblem where problem.code == .validationFailed {
                print(problem.faults(at: "/answers/pace").map(\.detail))
            }

            let results = try await host.results(of: meeting.id)
            for point in results.value[question: "pace"]?.chart ?? [] {
                print(point.label, point.count)
            }

            let table = try await host.export(.summary, of: meeting.id)
            try await table.save(to: path)

            #expect(printed.count == 6 && printed.dropFirst() == ["1 0", "2 0", "3 1", "4 0", "5 1"])
            #expect(printed.first?.contains("from 1 to 5") == true, "\(printed)")
            #expect(results.submissions == 2 && results.responseRate == 0.5)
            #expect(results.value[question: "pace"]?.chart.map(\.count) == [0, 0, 1, 0, 1])
            #expect(try String(contentsOfFile: path, encoding: .utf8).contains("Study group"))
        }
    }

    /// Code blocks that need a view are not part of the test.
    @Test func testContainsEveryBlockOfTheArticle() throws {
        let here = URL(filePath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let article = try String(
            contentsOf: root.appending(path: "Sources/AfterwordClient/AfterwordClient.docc/YourFirstMeeting.md"),
            encoding: .utf8)
        let code = Self.singleSpaced(try String(contentsOf: here, encoding: .utf8))
        let blocks = article.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(blocks.count > 5)
        for block in blocks where !block.contains("Chart(") {
            #expect(code.contains(Self.singleSpaced(block)), "\(block)")
        }
    }

    /// The text with single spaces only, because line breaks do not matter.
    private static func singleSpaced(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
