import Foundation
import Postgres
import ServiceLifecycle
import Store
import StrictJSON
import Synchronization
import TestSupport
import Testing

@testable import Webhooks

@Suite(.timeLimit(.minutes(15))) struct ResultPublishing {
    /// The data of all deliveries of `results.changed`, in order.
    private static func publishedResults(_ service: TestService) async throws -> [JSONValue] {
        try await service.fixture.store.pool.query(
            "SELECT body FROM webhook_delivery WHERE event = 'results.changed' ORDER BY created_at, id"
        ).compactMap { row in
            let body: String = try row.decode(String.self)
            return try JSONValue.parse(Array(body.utf8))["data"]
        }
    }

    private static func revision(_ service: TestService, _ meeting: TestMeeting) async throws -> JSONValue? {
        try await meeting.results().expect(200).json?["revision"]
    }

    private static func withRunning<Value: Sendable>(
        _ publishers: [ResultPublisher], _ body: () async throws -> Value
    ) async throws -> Value {
        let group = ServiceGroup(configuration: .init(services: publishers, logger: TestStore.silentLogger))
        async let run: Void = group.run()
        do {
            let value = try await body()
            await group.triggerGracefulShutdown()
            try await run
            return value
        } catch {
            await group.triggerGracefulShutdown()
            throw error
        }
    }

    private static func publisher(
        _ store: Store, interval: Double = 2, catchUp: Duration = .seconds(600)
    ) -> ResultPublisher {
        ResultPublisher(
            store: store, interval: interval, pause: .milliseconds(20), catchUp: catchUp, logger: TestStore.silentLogger
        )
    }

    @Test func hundredConcurrentSubmissionsCauseFewEventsAndTheLastIsComplete() async throws {
        try await TestHook.run { service in
            let hook = try await TestHook.make("http://127.0.0.1:9/", [.resultsChanged], in: service)
            let owner = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            try await owner.script(
                "ALTER TABLE webhook_delivery ADD written_at timestamptz NOT NULL DEFAULT clock_timestamp()")
            await owner.close()
            let meeting = try await service.openMeeting()
            let second = try await service.fixture.secondStore()
            try await Self.withRunning([Self.publisher(service.fixture.store), Self.publisher(second)]) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<100 {
                        group.addTask { try await meeting.submit(#"{"pace": 4}"#).expect(201) }
                    }
                    try await group.waitForAll()
                }
                let last = try await Self.revision(service, meeting)
                try await TestReceiver.wait(for: "the last change") {
                    try await Self.publishedResults(service).last?["revision"] == last
                }
                let publishedResults = try await Self.publishedResults(service)
                // A slow machine may take longer than two intervals for the submissions.
                #expect(1...4 ~= publishedResults.count, "\(publishedResults)")
                #expect(publishedResults.last?["submissions"] == JSONValue(100))
                #expect(
                    publishedResults.last?["meetingId"]?.string == meeting.id
                        && publishedResults.last?["formId"]?.string != nil)
                // A change is claimed after its transaction starts and before its delivery is written.
                let tooSoon = try await service.fixture.store.pool.query(
                    """
                    SELECT FROM (
                        SELECT written_at - lag(created_at) OVER (ORDER BY created_at) AS pause FROM webhook_delivery
                    ) published WHERE pause < interval '2 seconds'
                    """)
                #expect(tooSoon.isEmpty, "\(publishedResults.count) events")
                #expect(try await hook.log().count == publishedResults.count)
            }
            await second.close()
        }
    }

    @Test func anonymousFormsPublishNoResults() async throws {
        try await TestHook.run { service in
            _ = try await TestHook.make("http://127.0.0.1:9/", in: service)
            let anonymous = try await service.openMeeting(settings: #""anonymous": true"#)
            let named = try await service.openMeeting()
            try await Self.withRunning([Self.publisher(service.fixture.store, catchUp: .milliseconds(50))]) {
                for meeting in [anonymous, named] {
                    for _ in 0..<5 { try await meeting.submit(#"{"pace": 4}"#).expect(201) }
                }
                try await TestReceiver.wait(for: "the results of the form that is not anonymous") {
                    try await Self.publishedResults(service).last?["submissions"] == JSONValue(5)
                }
            }
            let publishedResults = try await Self.publishedResults(service)
            #expect(!publishedResults.isEmpty && publishedResults.allSatisfy { $0["meetingId"]?.string == named.id })
            let rows = try await service.fixture.store.pool.query(
                """
                SELECT f.meeting_id::text FROM webhook_result r JOIN form f ON f.id = r.form_id
                """)
            #expect(try rows.map { row -> String in try row.decode(String.self) } == [named.id])
        }
    }

    @Test func resultsWithoutSubscribersWriteNothing() async throws {
        try await TestHook.run { service in
            _ = try await TestHook.make("http://127.0.0.1:9/", [.formOpened], in: service)
            let meeting = try await service.openMeeting()
            try await meeting.submit(#"{"pace": 4}"#).expect(201)
            let publisher = Self.publisher(service.fixture.store)
            await publisher.publishChanged()
            let form = try await service.fixture.store.pool.query("SELECT id FROM form").first?.decode(UUID.self)
            let again = try await service.fixture.store.resultEvents().publish([#require(form)])
            #expect(again.isEmpty)
            #expect(try await service.fixture.store.pool.query("SELECT FROM webhook_result").isEmpty)
            #expect(try await Self.publishedResults(service).isEmpty)
        }
    }

    /// No publisher runs, as if the notifications arrived while no instance listened.
    @Test func lostNotificationsAreRecovered() async throws {
        try await TestHook.run { service in
            let old = try await service.openMeeting()
            try await old.submit(#"{"pace": 4}"#).expect(201)
            _ = try await TestHook.make("http://127.0.0.1:9/", [.resultsChanged], in: service)
            let unanswered = try await service.openMeeting()
            let changed = try await service.openMeeting()
            let response = try await changed.submit(#"{"pace": 4}"#).expect(201)
            let events = service.fixture.store.resultEvents(interval: 0)
            let pending = try await events.pending()
            #expect(pending.count == 1, "one form has no answers, and another has none since the subscription")
            #expect(try await events.publish(pending).isEmpty)
            #expect(try await events.pending().isEmpty)
            #expect(try await Self.publishedResults(service).map { $0["meetingId"]?.string } == [changed.id])
            // The count returns to zero, which is also a change.
            var author = service.anyone
            author.authorization = "Receipt \(try response.string("receipt"))"
            try await author.delete("\(changed.submissionsPath)/\(try response.string("id"))").expect(204)
            #expect(try await events.pending() == pending)
            #expect(try await events.publish(pending).isEmpty)
            #expect(try await Self.publishedResults(service).last?["submissions"] == JSONValue(0))
            #expect(try await unanswered.results().expect(200).json?["submissions"] == JSONValue(0))
        }
    }

    @Test func changesWithinTheIntervalAreDeferredAndNotLost() async throws {
        try await TestHook.run { service in
            _ = try await TestHook.make("http://127.0.0.1:9/", [.resultsChanged], in: service)
            let meeting = try await service.openMeeting()
            try await meeting.submit(#"{"pace": 4}"#).expect(201)
            let events = service.fixture.store.resultEvents()
            let forms = try await events.pending()
            #expect(try await events.publish(forms).isEmpty)
            try await meeting.submit(#"{"pace": 5}"#).expect(201)
            #expect(try await events.publish(forms) == forms)
            #expect(try await Self.publishedResults(service).count == 1)
            try await service.sql("UPDATE webhook_result SET notified_at = now() - interval '10 seconds'")
            #expect(try await events.publish(forms).isEmpty)
            #expect(try await Self.publishedResults(service).map { $0["submissions"] } == [JSONValue(1), JSONValue(2)])
            #expect(try await events.publish(forms).isEmpty, "the results are already published")
            #expect(try await Self.publishedResults(service).count == 2)
        }
    }

    @Test func manyInstancesPublishAChangeOnce() async throws {
        try await TestHook.run { service in
            _ = try await TestHook.make("http://127.0.0.1:9/", [.resultsChanged], in: service)
            var forms: Set<UUID> = []
            for _ in 0..<10 {
                let meeting = try await service.openMeeting()
                try await meeting.submit(#"{"pace": 4}"#).expect(201)
                let id = try await meeting.form().expect(200).string("id")
                forms.insert(try #require(UUID(uuidString: id)))
            }
            let second = try await service.fixture.secondStore()
            try await withThrowingTaskGroup(of: Void.self) { [forms] group in
                for store in [service.fixture.store, second] {
                    for _ in 0..<4 { group.addTask { _ = try await store.resultEvents().publish(forms) } }
                }
                try await group.waitForAll()
            }
            await second.close()
            #expect(try await Self.publishedResults(service).count == 10)
        }
    }

    /// Attendance, settings and the clock change the revision of a form's results although nobody answered.
    @Test func changesWithoutAnswersAreNotPublished() async throws {
        try await TestHook.run { service in
            let old = try await service.openMeeting()
            try await old.submit(#"{"pace": 4}"#).expect(201)
            _ = try await TestHook.make("http://127.0.0.1:9/", [.resultsChanged], in: service)
            let new = try await service.openMeeting()
            try await new.submit(#"{"pace": 4}"#).expect(201)
            let forms = Set(
                try await service.fixture.store.pool.query("SELECT id FROM form").map { row -> UUID in
                    try row.decode(UUID.self)
                })
            let events = service.fixture.store.resultEvents(interval: 0)
            #expect(try await events.publish(forms).isEmpty)
            #expect(
                try await Self.publishedResults(service).map { $0["meetingId"]?.string } == [new.id],
                "only one form has an answer since the subscription")
            func changeEverythingExceptAnswers() async throws {
                for meeting in [old, new] {
                    try await service.host.post(
                        "\(meeting.path)/attendees", json: #"{"name": "Max", "status": "present"}"#
                    ).expect(201)
                    for verb in ["close", "reopen"] { try await meeting.perform(verb).expect(200) }
                    try await service.host.delete(meeting.path).expect(204)
                    try await service.host.post("\(meeting.path)/restore").expect(200)
                }
                #expect(try await events.publish(forms).isEmpty)
                #expect(try await events.pending().isEmpty)
                #expect(try await Self.publishedResults(service).count == 1)
            }
            try await changeEverythingExceptAnswers()
            // The published state is stored as long as the form exists.
            try await service.sql("UPDATE webhook_result SET notified_at = now() - interval '1 year'")
            try await service.fixture.store.sweep()
            try await changeEverythingExceptAnswers()
            try await old.submit(#"{"pace": 5}"#).expect(201)
            #expect(try await events.publish(forms).isEmpty)
            #expect(try await Self.publishedResults(service).last?["meetingId"]?.string == old.id)
            #expect(try await Self.publishedResults(service).count == 2)
        }
    }
}
