import Domain
import Postgres
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// A form that was published with identity `open` is published again with `device`, before the first answer.
@Suite(.timeLimit(.minutes(15))) struct ChangedIdentity {
    private static let device = String(repeating: "d", count: 32)

    private static func request(
        version: Int? = nil, key: String, respondent: String? = device
    ) throws -> SubmissionRequest {
        let body = Array(#"{"pace": 4}"#.utf8)
        return SubmissionRequest(
            version: version, answers: try JSONValue.parse(body), body: body, idempotencyKey: key,
            respondent: respondent)
    }

    /// The `Submissions` of another instance whose cached facts never expire. In a running service, facts are at most
    /// two seconds old.
    private static func stale(_ fixture: TestStore, caching meeting: Meeting) async throws -> Submissions {
        let clock = ManualClock()
        let cache = FormCache(pool: fixture.store.pool, keys: fixture.keys) { clock.now }
        #expect(try await cache.facts(code: meeting.form.code).version == 1)
        _ = try await cache.version(1, of: meeting.form.id)
        return Submissions(pool: fixture.store.pool, cache: cache, intake: fixture.store.intake)
    }

    private static func submit(
        _ request: SubmissionRequest, to meeting: Meeting, through submissions: Submissions, triesCache: Bool
    ) async throws -> SubmissionReceipt {
        guard triesCache else { return try await submissions.submit(request, code: meeting.form.code) }
        let receipt: Result<SubmissionReceipt, any Error>? = await withCheckedContinuation { continuation in
            let isTaken = submissions.submitIfCached(request, code: meeting.form.code) { receipt in
                continuation.resume(returning: Result { try receipt() })
            }
            if !isTaken { continuation.resume(returning: nil) }
        }
        if let receipt { return try receipt.get() }
        return try await submissions.submit(request, code: meeting.form.code)
    }

    @Test(arguments: [1, 2, nil], [false, true])
    func deviceAnswersOnceDespiteAStaleInstance(version: Int?, triesCache: Bool) async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let other = try await Self.stale(fixture, caching: meeting)
            try await fixture.edit(meeting, settings: #""identity": "device""#, questions: TestStore.questions)
            if version == 2 { _ = try await other.cache.version(2, of: meeting.form.id) }
            let refusal = try await problem {
                _ = try await Self.submit(
                    try Self.request(version: version, key: "first key of a device"), to: meeting, through: other,
                    triesCache: triesCache)
            }
            #expect(refusal == (version == 1 ? .outdatedVersion : nil))
            let again = try await problem {
                _ = try await fixture.store.submissions.submit(
                    Self.request(key: "second key of a device"), code: meeting.form.code)
            }
            #expect(again?.code == (version == 1 ? nil : .alreadySubmitted))
            let counts = try await fixture.counts(of: meeting)
            #expect(counts == (1, 1))
        }
    }

    @Test(arguments: [1, 2, nil], [false, true])
    func answerWithoutADeviceIsRefused(version: Int?, triesCache: Bool) async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let other = try await Self.stale(fixture, caching: meeting)
            try await fixture.edit(meeting, settings: #""identity": "device""#, questions: TestStore.questions)
            let refusal = try await problem {
                _ = try await Self.submit(
                    try Self.request(version: version, key: "a key of a client", respondent: nil), to: meeting,
                    through: other, triesCache: triesCache)
            }
            #expect(refusal?.code == (version == 1 ? .validationFailed : .respondentRequired))
            let counts = try await fixture.counts(of: meeting)
            #expect(counts == (0, 0))
        }
    }

    /// The publication waits for the form's lock when the answers of both instances arrive.
    @Test func answersThatWaitForThePublicationCountOncePerDevice() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let other = try await Self.stale(fixture, caching: meeting)
            _ = try await fixture.store.submissions.cache.facts(code: meeting.form.code)
            let holder = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await holder.script("BEGIN")
            try await holder.query("SELECT 1 FROM form_state WHERE form_id = \(meeting.form.id) FOR UPDATE")
            let edit = Task {
                try await fixture.edit(meeting, settings: #""identity": "device""#, questions: TestStore.questions)
            }
            try await fixture.database.waitUntilBlocked(1)
            try await withThrowingTaskGroup(of: ProblemCode?.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let device = String(repeating: "\(number % 4)", count: 32)
                        let request = try Self.request(key: "key number \(number) of a device", respondent: device)
                        return try await problem {
                            _ = try await Self.submit(
                                request, to: meeting,
                                through: number < 20 ? other : fixture.store.submissions,
                                triesCache: number.isMultiple(of: 3))
                        }?.code
                    }
                }
                try await fixture.database.waitUntilBlocked(2)
                try await holder.script("ROLLBACK")
                for try await code in group { #expect(code == nil || code == .alreadySubmitted) }
            }
            _ = try await edit.value
            await holder.close()
            let counts = try await fixture.counts(of: meeting)
            #expect((1...4).contains(counts.stored) && counts.counted == counts.stored, "four devices: \(counts)")
        }
    }
}
