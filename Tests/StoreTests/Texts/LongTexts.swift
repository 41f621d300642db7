import Domain
import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite struct LongTexts {
    @Test func lengthIsCountedInUserPerceivedCharacters() async throws {
        try await TestStore.run { fixture in
            let title = String(repeating: "e\u{301}", count: 300)
            let meeting = try await fixture.meeting(title: title)
            #expect(Array(meeting.title.utf8) == Array(title.utf8))
            let tooLong = try await problem { _ = try await fixture.meeting(title: title + "e") }
            #expect(tooLong?.faults.map(\.pointer) == ["/title"])
        }
    }

    @Test func characterOfThousandsOfCodePointsIsAValidationProblem() async throws {
        try await TestStore.run { fixture in
            let title = "e" + String(repeating: "\u{301}\u{200D}", count: 2_000)
            let tooLong = try await problem { _ = try await fixture.meeting(title: title) }
            #expect(tooLong?.faults.map(\.code) == ["too-long"])
            // The database enforces the same limit for a value that was not validated.
            let error = await #expect(throws: PostgresError.self) {
                _ = try await fixture.store.meetings.create(
                    MeetingDraft(title: title), by: fixture.host, once: nil
                ) { _ in [] }
            }
            let problem = error.flatMap(Store.problem)
            #expect(problem?.code == .validationFailed)
            #expect(problem?.faults.map(\.pointer) == ["/title"])
        }
    }
}
