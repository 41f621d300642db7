import Charts
import Dispatch
import Domain
import Foundation
import TestSupport
import Testing

@testable import BlockingWork
@testable import HTTPAPI

/// Pictures of questions with the options of many versions are drawn on a separate thread.
@Suite(.timeLimit(.minutes(5))) struct LargePictures {
    /// The chart of a question of which each option was chosen once.
    private static func chart(options count: Int) throws -> Chart {
        let options = (0..<count).map { Question.Option(id: "o\($0)", label: "Option \($0)") }
        let question = Question(key: "pick", title: "Pick one", kind: .choice(.init(options: options)))
        var counts = Dictionary(uniqueKeysWithValues: options.map { ($0.id, 1) })
        counts[TallyKey.answered] = count
        let result = QuestionResult.make(question: question, counts: counts)
        return try #require(Chart(of: result, meeting: "A meeting", name: "chart"))
    }

    @Test func questionIsLargeIfItHasMoreOptionsThanOneVersionMayHave() throws {
        #expect(try !Self.chart(options: 51).isLarge)
        #expect(try Self.chart(options: 400).isLarge)
    }

    @Test func largePicturesOfOneAccountLeaveTurnsToOthers() async throws {
        let drawing = ChartDrawing(waiting: 2, perAccount: 1)
        let (large, small) = (try Self.chart(options: 400), try Self.chart(options: 3))
        let (first, second) = (UUID(), UUID())
        let gate = DispatchSemaphore(value: 0)
        defer { gate.signal() }
        // A job occupies the only thread until the gate is signalled.
        try #require(drawing.work.enqueue { gate.wait() })
        let waiting = Task { try await drawing.svg(of: large, for: first) }
        try await eventually("the picture waits") { drawing.work.waitingCount == 1 }
        let refused = try await problem { _ = try await drawing.svg(of: large, for: first) }
        #expect(refused?.code == .overloaded)
        let other = Task { try await drawing.svg(of: large, for: second) }
        try await eventually("the picture of another account waits too") { drawing.work.waitingCount == 2 }
        // Small pictures do not wait.
        #expect(try await drawing.svg(of: small, for: first).contains("Option 2"))
        gate.signal()
        let svg = try await waiting.value
        #expect(svg.contains("Option 399"))
        #expect(try await other.value == svg)
    }
}
