import Foundation
import HTTPAPI
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// A viewer who loses access gets the event `end`, and no results after that.
@Suite(.timeLimit(.minutes(15))) struct LiveAccess {
    /// Waits until a stream is open, revokes its access with `revoke`, and expects the stream to end with the problem.
    private static func expectEnd(
        _ problem: String, of viewer: LiveTestViewer, in meeting: TestMeeting, _ reason: String,
        by revoke: () async throws -> Void
    ) async throws {
        #expect(try await viewer.wait { !$0.events.isEmpty }, "\(reason): \(viewer.status ?? 0)")
        try await revoke()
        #expect(try await viewer.wait(.seconds(10)) { $0.isOver }, "\(reason)")
        let end = try #require(viewer.last, "\(reason)")
        #expect(end.name == "end" && end.json?["type"]?.string == "/problems/\(problem)", "\(reason): \(end)")
        #expect(end.json?["detail"]?.string?.isEmpty == false && end.json?["instance"] != nil)
        await viewer.leave()
    }

    /// A new account, and a client that is signed in to it.
    private static func account(
        _ email: String, _ role: Account.Role, _ service: TestService
    ) async throws -> (id: UUID, client: HTTPTestClient) {
        let created = try await TestStore.account(email, "Somebody", role, in: service.fixture.store)
        let token = try await TestService.token(of: created, in: service.fixture.store)
        return (created.account.id, service.anyone.bearing(token))
    }

    @Test func streamEndsWhenItsCallerLosesAccess() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let endings: [(reason: String, problem: String, path: String, sql: Statement?)] = [
                ("signed out", "unauthorized", meeting.livePath, nil),
                (
                    "expired", "unauthorized", meeting.livePath,
                    "UPDATE token SET expires_at = now() WHERE account_id = "
                ),
                ("disabled", "unauthorized", "/v1/live", "UPDATE account SET disabled_at = now() WHERE id = "),
                (
                    "without the scope", "forbidden", meeting.livePath,
                    "UPDATE token SET scopes = '{meetings:read}' WHERE account_id = "
                ),
                (
                    "without the scope", "forbidden", "/v1/live",
                    "UPDATE token SET scopes = '{results:read}' WHERE account_id = "
                ),
                ("no longer a co-host", "not-found", meeting.livePath, "DELETE FROM series_host WHERE account_id = "),
            ]
            let seriesID = UUID(uuidString: meeting.seriesID)
            for (number, ending) in endings.enumerated() {
                let (id, client) = try await Self.account("viewer\(number)@example.org", .host, service)
                try await service.sql(
                    "INSERT INTO series_host (series_id, account_id, role) VALUES (\(seriesID), \(id), 'viewer')")
                let viewer = LiveTestViewer(client, ending.path)
                let other = meeting.watch()
                #expect(try await other.wait { !$0.events.isEmpty })
                try await Self.expectEnd(ending.problem, of: viewer, in: meeting, ending.reason) {
                    if let sql = ending.sql {
                        try await service.sql(sql + "\(id)")
                    } else {
                        try await client.delete("/v1/sessions/current").expect(204)
                    }
                }
                // Other viewers are not affected.
                let countBefore = other.submissions ?? 0
                try await meeting.submit(#"{"pace": 3}"#).expect(201)
                #expect(try await other.wait { $0.submissions == countBefore + 1 }, "\(ending.reason)")
                await other.leave()
            }
        }
    }

    @Test func streamOfATicketEndsWhenTheTokenIsRevoked() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let ticket = try await service.host.post("/v1/live-tickets").expect(201).string("ticket")
            let viewer = LiveTestViewer(service.anyone, "\(meeting.livePath)?ticket=\(ticket)")
            #expect(try await viewer.wait { !$0.events.isEmpty })
            // An expired ticket is deleted, which does not end the stream.
            try await service.sql("DELETE FROM live_ticket")
            try await meeting.submit(#"{"pace": 3}"#).expect(201)
            #expect(try await viewer.wait { $0.submissions == 1 })
            try await Self.expectEnd("unauthorized", of: viewer, in: meeting, "signed out") {
                try await service.host.delete("/v1/sessions/current").expect(204)
            }
        }
    }

    @Test func streamsEndWhenTheMeetingIsTrashedOrTheRoleIsRemoved() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "always""#)
            let (id, admin) = try await Self.account("second@example.org", .admin, service)
            let (meetingViewer, listViewer) = (
                LiveTestViewer(admin, meeting.livePath), LiveTestViewer(admin, "/v1/live")
            )
            #expect(try await meetingViewer.wait { !$0.events.isEmpty })
            try await Self.expectEnd("forbidden", of: listViewer, in: meeting, "demoted") {
                try await service.sql("UPDATE account SET role = 'host' WHERE id = \(id)")
            }
            try await Self.expectEnd("not-found", of: meetingViewer, in: meeting, "demoted") {}
            let share = try await service.share(of: meeting)
            let viewers = [
                meeting.watch(), meeting.watch(service.admin),
                LiveTestViewer(service.anyone, "\(meeting.formPath)/live"),
                LiveTestViewer(service.anyone, "/v1/shares/\(share)/live"),
            ]
            for viewer in viewers { #expect(try await viewer.wait { !$0.events.isEmpty }) }
            try await service.host.delete(meeting.path).expect(204)
            for viewer in viewers { try await Self.expectEnd("not-found", of: viewer, in: meeting, "trashed") {} }
        }
    }

    @Test func participantsWatchAsLongAsResultsAreShown() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "always""#)
            let live = "\(meeting.formPath)/live"
            func show(_ rule: String) async throws {
                try await meeting.define("{\"showResults\": \"\(rule)\", \"questions\": \(TestStore.questions)}")
                    .expect(200)
            }
            let typed = try await meeting.form().string("joinCode")
            let byJoinCode = LiveTestViewer(service.anyone, "/v1/forms/\(typed)/live")
            #expect(try await byJoinCode.wait { !$0.events.isEmpty })
            for rule in ["never", "afterClose", "afterSubmission"] {
                try await show("always")
                let viewer = LiveTestViewer(service.anyone, live)
                try await Self.expectEnd("results-not-shown", of: viewer, in: meeting, rule) { try await show(rule) }
            }
            #expect(try await byJoinCode.wait { $0.isOver })
            let submission = try await meeting.submit(#"{"pace": 3}"#).expect(201)
            let proof = ["Authorization": "Receipt \(try submission.string("receipt"))"]
            let viewer = LiveTestViewer(service.anyone, live, headers: proof)
            try await Self.expectEnd("withdrawn", of: viewer, in: meeting, "withdrawn") {
                try await service.anyone.delete(
                    "\(meeting.submissionsPath)/\(try submission.string("id"))", headers: proof
                ).expect(204)
            }
            try await show("always")
            let again = LiveTestViewer(service.anyone, "/v1/forms/\(typed)/live")
            try await Self.expectEnd("not-found", of: again, in: meeting, "join code of a closed form") {
                try await meeting.perform("close").expect(200)
            }
        }
    }

    @Test func endOfAShareEndsItsStreams() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            for change: Statement in ["revoked_at = now()", "expires_at = now()"] {
                let share = try await service.share(of: meeting)
                let other = LiveTestViewer(
                    service.anyone, "/v1/shares/\(try await service.share(of: meeting))/live")
                #expect(try await other.wait { !$0.events.isEmpty })
                let viewer = LiveTestViewer(service.anyone, "/v1/shares/\(share)/live")
                try await Self.expectEnd("share-ended", of: viewer, in: meeting, "share") {
                    try await service.sql(
                        "UPDATE share SET \(fragment: change) WHERE hash = sha256(convert_to(\(share), 'UTF8'))")
                }
                #expect(!other.isOver)
                await other.leave()
                #expect(try await service.anyone.get("/v1/shares/\(share)/live").status == 410)
            }
        }
    }
}
