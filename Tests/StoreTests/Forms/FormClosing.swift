import Domain
import Foundation
import Postgres
import Store
import StrictJSON
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct FormClosing {
    @Test func noSubmissionIsAcceptedAfterAnAcknowledgedClose() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let acknowledged = Flag()
            // A submission that starts after the close was acknowledged must be refused.
            let late = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        var acceptedLate = 0
                        for _ in 0..<60 {
                            let beganAfter = acknowledged.isSet
                            let refusal = try await problem {
                                _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting)
                            }
                            if beganAfter && refusal == nil { acceptedLate += 1 }
                            if let refusal { #expect(refusal.code == .formClosed) }
                        }
                        return acceptedLate
                    }
                }
                group.addTask {
                    try await eventually("50 submissions are counted") {
                        try await fixture.counts(of: meeting).counted >= 50
                    }
                    _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
                    let atClose = try await fixture.counts(of: meeting).counted
                    acknowledged.set()
                    return try await fixture.counts(of: meeting).counted == atClose ? 0 : 1_000
                }
                return try await group.reduce(0, +)
            }
            #expect(late == 0)
        }
    }

    @Test func formsThatAreNotOpenRefuseSubmissions() async throws {
        try await TestStore.run { fixture in
            let draft = try await fixture.meeting(TestStore.questions)
            let scheduled = try await fixture.openMeeting(settings: #""opens": "2999-01-01T00:00:00Z""#)
            let closed = try await fixture.openMeeting()
            try await fixture.edit(
                closed, settings: #""closes": "2001-01-01T00:00:00Z", "graceMinutes": 0"#,
                questions: TestStore.questions)
            let trashed = try await fixture.openMeeting()
            try await fixture.store.meetings.trash(trashed.id, by: fixture.host)
            let refusals = try await [draft, scheduled, closed, trashed].asyncMap { meeting in
                try await problem { _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting) }?.code
            }
            #expect(refusals == [.formNotOpen, .formNotOpen, .formClosed, .notFound])
        }
    }

    @Test func timedCloseAcceptsSubmissionsDuringItsGrace() async throws {
        try await TestStore.run { fixture in
            let now = Date()
            let closes = now.addingTimeInterval(-60).formatted(.iso8601)
            let inGrace = try await fixture.openMeeting(settings: "\"closes\": \"\(closes)\", \"graceMinutes\": 5")
            #expect(inGrace.form.state(at: inGrace.now) == .open)
            _ = try await fixture.submit(#"{"pace": 4}"#, to: inGrace)
        }
    }

    @Test func reopeningAcceptsSubmissionsAgain() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
            let form = try await fixture.store.forms.reopen(
                meetingID: meeting.id, closes: nil, by: fixture.host.account.id)
            #expect(form.state == .open)
            _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting)
            let past = try await problem {
                _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
                _ = try await fixture.store.forms.reopen(
                    meetingID: meeting.id, closes: Date(timeIntervalSince1970: 0), by: fixture.host.account.id)
            }
            #expect(past?.code == .validationFailed)
        }
    }

    @Test func emptyFormIsNotPublished() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.meeting()
            let refusal = try await problem {
                _ = try await fixture.store.forms.publish(meetingID: meeting.id, by: fixture.host.account.id)
            }
            #expect(refusal?.faults.map(\.pointer) == ["/questions"])
        }
    }

    @Test func capIsExactForTwoHundredConcurrentSubmissions() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(settings: #""cap": 100"#)
            let outcomes = try await withThrowingTaskGroup(of: ProblemCode?.self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        try await problem { _ = try await fixture.submit(#"{"pace": 3}"#, to: meeting) }?.code
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.filter { $0 == nil }.count == 100)
            #expect(outcomes.filter { $0 == .formFull }.count == 100)
            let counts = try await fixture.counts(of: meeting)
            #expect(counts == (100, 100))
        }
    }

    @Test func capIsExactForTwoInstances() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(settings: #""cap": 100"#)
            let second = try await fixture.secondStore()
            let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<400 {
                    group.addTask {
                        try await problem {
                            _ = try await fixture.submit(
                                #"{"pace": 3}"#, to: meeting, through: number.isMultiple(of: 2) ? second : nil)
                        } == nil
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            await second.close()
            #expect(accepted == 100)
            let counts = try await fixture.counts(of: meeting)
            #expect(counts == (100, 100))
        }
    }

    @Test func submissionInFlightDuringACloseIsRefused() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let closing = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await closing.script("BEGIN")
            try await closing.execute(
                "UPDATE form_state SET state = 'closed' WHERE form_id = \(meeting.form.id)")
            let submission = Task { try await problem { _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting) } }
            try await fixture.database.waitUntilBlocked(1)
            try await closing.script("COMMIT")
            let refusal = try await submission.value
            await closing.close()
            #expect(refusal?.code == .formClosed)
            let counts = try await fixture.counts(of: meeting)
            #expect(counts == (0, 0))
        }
    }

    @Test func formStateIsTheSameInSQLAndSwift() async throws {
        try await TestStore.run { fixture in
            let moment = Date(timeIntervalSince1970: 1_800_000_000)
            let offsets: [Double?] = [nil, -600, -300, -1, 0, 1, 300]
            for stored in FormLife.Stored.allCases {
                for opens in offsets {
                    for closes in offsets {
                        let life = FormLife(
                            stored: stored, opensAt: opens.map(moment.addingTimeInterval),
                            closesAt: closes.map(moment.addingTimeInterval), graceMinutes: 5)
                        let rows = try await fixture.store.pool.query(
                            """
                            SELECT form_state_at(\(stored.rawValue), \(life.opensAt), \(life.closesAt), 5, \(moment))
                            """)
                        let state: String? = try rows.first?.decode(String.self)
                        let expected = stored == .finalising ? "finalising" : life.state(at: moment).rawValue
                        #expect(state == expected, "\(life)")
                    }
                }
            }
        }
    }

    @Test func reopeningWithACloseBeforeTheOpeningIsRefused() async throws {
        try await TestStore.run { fixture in
            let host = fixture.host.account.id
            let start = Date().addingTimeInterval(30 * 86_400)
            let draft = MeetingDraft(
                title: "Next month", startsAt: start, endsAt: start.addingTimeInterval(3600), timeZone: "UTC")
            let created = try await fixture.store.meetings.create(draft, by: fixture.host, once: nil) { meeting in
                Array(meeting.id.uuidString.utf8)
            }
            let id = try #require(UUID(uuidString: String(decoding: created.body, as: UTF8.self)))
            let meeting = try await fixture.store.meetings.require(id, by: fixture.host)
            try await fixture.edit(
                meeting, settings: #""opens": {"from": "start", "minutes": 0}"#, questions: TestStore.questions)
            _ = try await fixture.store.forms.publish(meetingID: id, by: host)
            _ = try await fixture.store.forms.close(meetingID: meeting.id, by: host)
            let early = try await problem {
                _ = try await fixture.store.forms.reopen(
                    meetingID: meeting.id, closes: Date().addingTimeInterval(86_400), by: host)
            }
            #expect(early?.faults.map { "\($0.pointer) \($0.code)" } == ["/closes closes-before-opens"])
            let form = try await fixture.store.forms.reopen(meetingID: meeting.id, closes: nil, by: host)
            #expect(form.state == .scheduled)
            #expect(try await fixture.store.forms.require(meetingID: meeting.id).definition == form.definition)
        }
    }
}

/// A flag that tasks share.
private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)

    var isSet: Bool { value.load(ordering: .sequentiallyConsistent) }

    func set() { value.store(true, ordering: .sequentiallyConsistent) }
}

extension Array {
    func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
        var values: [T] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
