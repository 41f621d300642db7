import Foundation
import HTTPServer
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@testable import HTTPAPI

/// When a host hides results, participants' streams end at once. No viewer with access is disconnected.
@Suite(.timeLimit(.minutes(15))) struct LiveHiding {
    private static func run(
        _ pace: LiveHub.Pace, _ body: (TestService, TestMeeting, HTTPTestClient) async throws -> Void
    ) async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "always""#)
            let api = try AfterwordAPI.api(
                store: service.fixture.store, metrics: PrometheusRegistry(), pace: pace)
            try await LiveServer.run(api) { client, _ in try await body(service, meeting, client) }
        }
    }

    private static func show(
        _ rule: String, _ meeting: TestMeeting, questions: String = TestStore.questions
    ) async throws {
        try await meeting.define("{\"showResults\": \"\(rule)\", \"questions\": \(questions)}").expect(200)
    }

    /// The periodic check of all viewers is switched off, so access is checked only with each read.
    private static let withoutPeriodicCheck = LiveHub.Pace(tick: .seconds(600))

    @Test func hiddenResultsAreNotPushed() async throws {
        try await Self.run(Self.withoutPeriodicCheck) { service, meeting, client in
            let joinCode = try await meeting.form().string("joinCode")
            let host = LiveTestViewer(service.host, meeting.livePath)
            let viewers = [meeting.code, joinCode].map { LiveTestViewer(client, "/v1/forms/\($0)/live") }
            for viewer in viewers + [host] { #expect(try await viewer.wait { !$0.events.isEmpty }) }
            let reworded = TestStore.questions.replacing("pace?", with: "speed?")
            #expect(reworded != TestStore.questions)
            try await Self.show("never", meeting, questions: reworded)
            #expect(try await host.wait { $0.last?.data.contains("speed?") == true })
            for viewer in viewers {
                #expect(try await viewer.wait { $0.isOver })
                #expect(viewer.events.map(\.name) == ["results", "end"])
                #expect(viewer.last?.json?["type"]?.string == "/problems/results-not-shown")
            }
            await host.leave()
        }
    }

    @Test func joinCodeDoesNotShowTheResultsOfAClosedForm() async throws {
        try await Self.run(Self.withoutPeriodicCheck) { _, meeting, client in
            let joinCode = try await meeting.form().string("joinCode")
            let viewer = LiveTestViewer(client, "/v1/forms/\(joinCode)/live")
            let other = LiveTestViewer(client, "\(meeting.formPath)/live")
            for viewer in [viewer, other] { #expect(try await viewer.wait { !$0.events.isEmpty }) }
            try await meeting.perform("close").expect(200)
            #expect(try await viewer.wait { $0.isOver })
            #expect(viewer.events.map(\.name) == ["results", "end"])
            #expect(viewer.last?.json?["type"]?.string == "/problems/not-found")
            #expect(try await other.wait { $0.events.count == 2 })
            #expect(other.last?.name == "results" && !other.isOver)
            await other.leave()
        }
    }

    @Test func receiptIsCheckedOnlyIfTheFormRequiresIt() async throws {
        try await Self.run(LiveHub.Pace(tick: .milliseconds(20))) { service, meeting, client in
            let submission = try await meeting.submit(#"{"pace": 3}"#).expect(201)
            let proof = ["Authorization": "Receipt \(try submission.string("receipt"))"]
            let live = "\(meeting.formPath)/live"
            let early = LiveTestViewer(client, live, headers: proof)
            #expect(try await early.wait { $0.submissions == 1 })
            let path = "\(meeting.submissionsPath)/\(try submission.string("id"))"
            try await service.anyone.delete(path, headers: proof).expect(204)
            try await client.get("\(meeting.formPath)/results", headers: proof).expect(200)
            let late = LiveTestViewer(client, live, headers: proof)
            for number in 1...4 {
                try await meeting.submit(#"{"pace": 3}"#).expect(201)
                for viewer in [early, late] { #expect(try await viewer.wait { $0.submissions == number }) }
            }
            try await Self.show("afterSubmission", meeting)
            try await client.get("\(meeting.formPath)/results", headers: proof).expect(410)
            for viewer in [early, late] {
                #expect(try await viewer.wait { $0.isOver })
                #expect(viewer.last?.json?["type"]?.string == "/problems/withdrawn")
            }
        }
    }

    @Test func receiptsAreLookedUpWithinTheirForm() async throws {
        try await TestService.run { service in
            var receipts: [ViewerAccess.Receipt] = []
            var formIDs: [UUID] = []
            for isWithdrawn in [false, true] {
                let meeting = try await service.openMeeting()
                let submission = try await meeting.submit(#"{"pace": 3}"#).expect(201)
                let rows = try await service.fixture.store.pool.query(
                    "SELECT id FROM form WHERE meeting_id = \(UUID(uuidString: meeting.id))")
                let formID = try #require(rows.first).decode(UUID.self)
                let id = try #require(UUID(uuidString: submission.string("id")))
                formIDs.append(formID)
                receipts.append(ViewerAccess.Receipt(formID: formID, submissionID: id))
                guard isWithdrawn else { continue }
                let proof = ["Authorization": "Receipt \(try submission.string("receipt"))"]
                #expect(try await service.fixture.store.viewerAccess.valid(receipts) == Set(receipts))
                try await service.anyone.delete("\(meeting.submissionsPath)/\(submission.string("id"))", headers: proof)
                    .expect(204)
            }
            let crossed = zip(formIDs.reversed(), receipts).map {
                ViewerAccess.Receipt(formID: $0, submissionID: $1.submissionID)
            }
            #expect(try await service.fixture.store.viewerAccess.valid(receipts + crossed) == [receipts[0]])
        }
    }

    @Test func unreadableFormsDoNotDelayOthers() async throws {
        try await Self.run(LiveHub.Pace()) { service, meeting, client in
            let host = client.bearing(try await TestService.token(of: service.fixture.host, in: service.fixture.store))
            var meetings = [meeting]
            for _ in 0..<7 { meetings.append(try await service.openMeeting()) }
            let viewers = meetings.map { LiveTestViewer(host, $0.livePath) }
            for viewer in viewers { #expect(try await viewer.wait { $0.submissions == 0 }) }
            for broken in meetings.prefix(4) {
                try await service.sql(
                    """
                    UPDATE question SET definition = '{}'
                    WHERE form_id = (SELECT id FROM form WHERE meeting_id = \(UUID(uuidString: broken.id)))
                    """)
            }
            let before = viewers.map(\.revision)
            try await service.sql("UPDATE form_state SET revision = revision + 1")
            for (number, viewer) in viewers.enumerated() where number >= 4 {
                #expect(try await viewer.wait { $0.revision == before[number].map { $0 + 1 } })
            }
            for viewer in viewers {
                #expect(!viewer.isOver)
                await viewer.leave()
            }
        }
    }

    @Test func hangingDatabaseDelaysNoKeepAliveComment() async throws {
        let pace = LiveHub.Pace(tick: .milliseconds(20), keepAlive: .milliseconds(300))
        try await Self.run(pace) { service, meeting, client in
            let viewer = LiveTestViewer(client, "\(meeting.formPath)/live")
            #expect(try await viewer.wait { !$0.events.isEmpty })
            let maintenance = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            try await maintenance.script("BEGIN; LOCK TABLE meeting IN ACCESS EXCLUSIVE MODE")
            let deadline = ContinuousClock.now + .seconds(20)
            while try await maintenance.query("SELECT FROM pg_locks WHERE NOT granted").isEmpty {
                guard .now < deadline else { throw TestStore.Missing("a query that waits") }
            }
            let before = viewer.comments
            #expect(try await viewer.wait { $0.comments >= before + 5 })
            #expect(try await !maintenance.query("SELECT FROM pg_locks WHERE NOT granted").isEmpty)
            try await maintenance.script("ROLLBACK")
            await maintenance.close()
            try await meeting.submit(#"{"pace": 3}"#).expect(201)
            #expect(try await viewer.wait { $0.submissions == 1 })
            await viewer.leave()
        }
    }
}
