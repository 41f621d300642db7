import Domain
import Foundation
import Store
import TestSupport
import Testing

@testable import HTTPAPI

/// Forms with many options are read for one client at a time.
@Suite(.timeLimit(.minutes(5))) struct LargeFormsInTurn {
    private static func definition(options: Int) -> FormDefinition {
        let choices = (0..<options / 50).map { number in
            Question(
                key: "q\(number)", title: "Question",
                kind: .choice(
                    Question.Choice(
                        options: (0..<50).map { Question.Option(id: "o\($0)", label: "Option \($0)") })))
        }
        return FormDefinition(questions: choices)
    }

    @Test func clientWaitsForItsEarlierReadingOfALargeForm() async throws {
        let (reads, large, small) = (LargeFormReads(timeout: .zero), UUID(), UUID())
        func read(_ id: UUID, _ options: Int, during: () async throws -> Void = {}) async throws {
            _ = try await reads.read(id, definition: { $0 }) {
                try await during()
                return Self.definition(options: options)
            } _: { _ in
                .noContent
            }
        }
        try await read(large, 600)
        try await read(small, 50)
        try await read(large, 600) {
            try await read(small, 50)
            let refused = try await problem { try await read(large, 600) }
            #expect(refused?.code == .overloaded && refused?.retryAfter == 2)
        }
        // A form that has become small is not limited any more.
        try await read(large, 50)
        try await read(large, 50) { try await read(large, 50) }
    }
}
