import Postgres
import Store
import TestSupport
import Testing

/// A recount reads the submissions of a form in chunks and counts two chunks at a time.
@Suite(.timeLimit(.minutes(5))) struct Recounting {
    private static let submissionCount = 700

    private static func filledMeeting(_ fixture: TestStore) async throws -> Meeting {
        let meeting = try await fixture.openMeeting(#"[{"key": "pace", "kind": "rating", "title": "Pace"}]"#)
        for number in 0..<submissionCount { _ = try await fixture.submit("{\"pace\": \(number % 5 + 1)}", to: meeting) }
        return meeting
    }

    private static func differences(
        in fixture: TestStore, repair: Bool = false
    ) async throws -> [Verification.Difference] {
        let report = try await fixture.store.verification.run(repair: repair) { _, _ in }
        #expect(report.submissions == submissionCount && report.differenceCount == report.differences.count)
        return report.differences
    }

    @Test func chunksAreAddedUp() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.filledMeeting(fixture)
            #expect(try await Self.differences(in: fixture) == [])
            try await fixture.store.pool.execute(
                "UPDATE tally SET count = 0 WHERE form_id = \(meeting.form.id) AND question = 'pace' AND bucket <> ''")
            let differences = try await Self.differences(in: fixture, repair: true)
            let buckets = differences.filter { $0.kind == .tally && Int($0.bucket ?? "") != nil }
            #expect(buckets.map(\.bucket) == ["1", "2", "3", "4", "5"])
            #expect(buckets.allSatisfy { $0.stored == 0 && $0.counted == Self.submissionCount / 5 })
            #expect(try await Self.differences(in: fixture) == [])
        }
    }

    @Test func submissionsToUnknownVersionsAreAddedUp() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.filledMeeting(fixture)
            let setVersion = { (version: Int) in
                _ = try await fixture.store.pool.execute(
                    """
                    UPDATE submission SET version = \(version)
                    WHERE form_id = \(meeting.form.id) AND answers = '{"pace": 2}'
                    """)
            }
            try await setVersion(99)
            let unknown = try await Self.differences(in: fixture).filter { $0.kind == .version }
            #expect(unknown.map(\.bucket) == ["99"] && unknown.map(\.stored) == [Self.submissionCount / 5])
            try await setVersion(1)
            #expect(try await Self.differences(in: fixture) == [])
        }
    }
}
