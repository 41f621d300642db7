import Contract
import Foundation
import HTTPAPI
import Postgres
import TestSupport
import Testing

/// Bodies of submissions that are expensive to read.
@Suite(.timeLimit(.minutes(10))) struct LargeSubmissions {
    private static let textQuestion = #"{"key": "text", "kind": "text", "title": "Why?", "maxLength": 10000}"#

    /// Answers to the text question that are too long for the event loop.
    private static let longAnswers = #"{"text": "\#(String(repeating: "word ", count: 1_999))"}"#

    /// The text question and 20 choices with 50 options each. Such a form has a lane of its own in the intake.
    private static var manyQuestions: String {
        let options = (0..<50).map { #"{"id": "o\#($0)", "label": "Option \#($0)"}"# }.joined(separator: ", ")
        let choices = (0..<20).map {
            #"{"key": "q\#($0)", "kind": "choice", "title": "Which?", "options": [\#(options)]}"#
        }
        return "[" + ([textQuestion] + choices).joined(separator: ", ") + "]"
    }

    @Test func longAnswersAreStored() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting("[\(Self.textQuestion)]")
            for _ in 0..<2 { try await meeting.submit(Self.longAnswers).expect(201) }
            #expect(try await meeting.results().decoded(as: Results.self).submissions == 2)
        }
    }

    @Test func bodiesWithTooManyValuesAreRefused() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let values = { (count: Int) in Array(repeating: "1", count: count).joined(separator: ",") }
            // The body itself, its member `answers`, the answer, and its elements are values.
            let largest = try await meeting.submit("{\"pace\": [\(values(9_997))]}")
            #expect(largest.status == 422, "\(largest.text)")
            let larger = try await meeting.submit("{\"pace\": [\(values(9_998))]}")
            #expect(larger.status == 400 && larger.text.contains("more than 10000 values"), "\(larger.text)")
            let form = try await meeting.define("{\"questions\": [\(values(60_000))]}")
            #expect(form.status == 400 && form.text.contains("more than 50000 values"), "\(form.text)")
        }
    }

    @Test func largeSubmissionsOfOneAddressDelayNoOtherAddress() async throws {
        try await TestService.run(options: ServiceOptions(trustedProxies: 1)) { service in
            let locked = try await service.openMeeting(Self.manyQuestions)
            let other = try await service.openMeeting("[\(Self.textQuestion)]")
            let submit = { @Sendable (meeting: TestMeeting, address: String) in
                try await service.anyone.post(
                    meeting.submissionsPath, json: "{\"answers\": \(Self.longAnswers)}",
                    headers: ["X-Forwarded-For": address])
            }
            try await Connection.with(PostgresConfiguration(url: service.fixture.database.url)) { connection in
                try await connection.execute("BEGIN")
                try await service.lock("form_state", of: locked, on: connection)
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<4 { group.addTask { try await submit(locked, "192.0.2.1").status } }
                    try await service.fixture.database.waitUntilBlocked(1)
                    for _ in 0..<5 { #expect(try await submit(other, "192.0.2.2").status == 201) }
                    try await connection.execute("COMMIT")
                    for try await status in group { #expect(status == 201) }
                }
            }
        }
    }
}
