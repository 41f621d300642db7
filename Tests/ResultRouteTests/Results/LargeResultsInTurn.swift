import Domain
import Foundation
import NIOCore
import TestSupport
import Testing

@testable import HTTPAPI
@testable import Store

/// Results with many counts are made few at once, on threads that serve no requests.
@Suite(.timeLimit(.minutes(5))) struct LargeResultsInTurn {
    /// Choices with more options together than the results of a small form have.
    private static let questions: String = {
        let options = (0..<50).map { #"{"id": "o\#($0)", "label": "Option \#($0)"}"# }.joined(separator: ", ")
        let questions = (0..<11).map { number in
            #"{"key": "q\#(number)", "kind": "choice", "title": "Question", "options": [\#(options)]}"#
        }
        return "[" + questions.joined(separator: ", ") + "]"
    }()

    /// Takes all permits for large results.
    private static func occupy(_ results: LargeResults) async throws -> [KeyedPermits<LargeResults.Turn>.Lease] {
        var leases: [KeyedPermits<LargeResults.Turn>.Lease] = []
        for index in 0..<results.maxConcurrent {
            leases.append(
                try await results.permits.acquire(
                    for: .client(.address("198.51.100.\(index)")), within: .zero, else: "", retryAfter: 1))
        }
        return leases
    }

    @Test func largeResultsWaitForEachOtherAndSmallOnesForNone() async throws {
        try await TestStore.run { fixture in
            let large = try await fixture.openMeeting(Self.questions)
            let small = try await fixture.openMeeting()
            let reader = ResultReader(store: fixture.store)
            let results = fixture.store.largeResults
            var leases = try await Self.occupy(results)
            let reading = Task {
                try await DatabaseClient.address("192.0.2.1").run { try await reader.read(large) }
            }
            try await eventually("the reading waits") { results.permits.keyCount == leases.count + 1 }
            #expect(try await reader.read(small).body.bytes.readableBytes > 0)
            #expect(results.permits.keyCount == leases.count + 1)
            leases = []
            let body = try await reading.value.body
            let gzip = try #require(body.gzip())
            #expect(body.bytes.readableBytes > 50_000 && gzip.readableBytes < body.bytes.readableBytes)
            #expect(Gunzip.text(Array(buffer: gzip)) == String(buffer: body.bytes))
        }
    }

    /// The readers of a form share each reading. A client that reads other forms must not begin one that then waits for
    /// those, because all readers would wait with it.
    @Test func clientReadsOneFormAtATimeAndDelaysNoOther() async throws {
        try await TestStore.run { fixture in
            let meetings = [
                try await fixture.openMeeting(Self.questions), try await fixture.openMeeting(Self.questions),
            ]
            let results = LargeResults(atOnce: 2, timeout: .zero)
            func count(_ index: Int) async throws -> Int {
                try await results.make(from: meetings[index].form.id) {
                    try await fixture.store.results.read(meetings[index].form.id)
                } _: { results, _ in
                    results.questions.count
                }
            }
            func admittedCount(_ index: Int, as client: DatabaseClient) async throws -> Int {
                try await client.run {
                    try await results.admitted(to: meetings[index].form.id) { try await count(index) }
                }
            }
            for index in 0..<2 { #expect(try await count(index) == 11, "the forms are known to be large") }
            let (busy, other) = (DatabaseClient.address("192.0.2.1"), DatabaseClient.address("192.0.2.2"))
            try await busy.run {
                try await results.admitted(to: meetings[0].form.id) {
                    #expect(try await admittedCount(0, as: busy) == 11, "readers of a form share the turn")
                    let refused = try await problem { _ = try await admittedCount(1, as: busy) }
                    #expect(refused?.code == .overloaded && refused?.retryAfter != nil)
                    #expect(try await admittedCount(1, as: other) == 11)
                }
            }
            #expect(try await admittedCount(1, as: busy) == 11)
            let filtered = try await fixture.store.results.read(meetings[0].form.id)
            #expect(try await results.render(filtered, for: other) { 7 } == 7)
        }
    }
}
