import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct ErasingPeople {
    private static func erase(
        _ service: TestService, _ json: String = #"{"email": " Ann@Example.org "}"#
    ) async throws -> HTTPTestClient.Response {
        try await service.admin.post("/v1/admin/erasures", json: json)
    }

    /// A meeting that Ann and Bea attended. Both answered its form through their personal links.
    private static func meeting(_ service: TestService, settings: String) async throws -> TestMeeting {
        let meeting = try await service.openMeeting(settings: settings)
        for (name, pace) in [("ann", 5), ("bea", 1)] {
            let created = try await service.host.post(
                "\(meeting.path)/attendees",
                json: "{\"name\": \"Person \(name)\", \"email\": \"\(name)@example.org\", \"status\": \"present\"}",
                headers: ["Idempotency-Key": name]
            ).expect(201)
            let link = try await service.host.post("\(meeting.path)/attendees/\(created.string("id"))/link").expect(200)
            try await meeting.submit(
                "{\"pace\": \(pace), \"better\": \"more\"}", respondent: link.string("token")
            ).expect(201)
        }
        return meeting
    }

    @Test func erasureRemovesThePersonEverywhereAndUpdatesTheTallies() async throws {
        try await TestService.run { service in
            let meeting = try await Self.meeting(service, settings: #""identity": "attendee""#)
            try await meeting.perform("close").expect(200)
            let series = try #require(UUID(uuidString: meeting.seriesID))
            let hash = Array("h".utf8)
            try await service.sql(
                """
                WITH m AS (INSERT INTO member (id, series_id, name, email)
                    VALUES (\(UUID()), \(series), 'Person ann', 'ANN@example.org')),
                r AS (INSERT INTO registration (id, hash, email, name, expires_at)
                    VALUES (\(UUID()), \(hash), 'ann@example.org', 'Person ann', now())),
                i AS (INSERT INTO invitation (id, hash, email, created_by, expires_at)
                    VALUES (\(UUID()), \(hash), 'ann@example.org', \(UUID()), now()))
                INSERT INTO outbox (id, kind, recipient, subject, body)
                VALUES (\(UUID()), 'a', 'Ann@example.org', 'For Person ann', 'text')
                """)
            let erased = try await Self.erase(service).expect(200)
            let counts = try #require(erased.json?["erased"]?.members)
            #expect(
                counts.map { "\($0.name) \($0.value.text)" } == [
                    "accounts 0", "attendees 1", "invitations 1", "mails 1", "members 1", "persons 1",
                    "registrations 1", "submissions 1",
                ])
            #expect(try await service.tables(containing: "ann@example.org") == [])
            #expect(try await service.tables(containing: "Person ann") == [])
            // The number of people who attended and Bea's data remain.
            let read = try await service.host.get(meeting.path).expect(200)
            #expect(read.json?["attended"] == .number("2") && read.json?["submissions"] == .number("1"))
            let results = try await meeting.results().expect(200)
            #expect(results.json?["questions"]?[0]?["datasets"]?[0]?["data"]?.text == "[1,0,0,0,0]")
            #expect(try await service.tables(containing: "bea@example.org").contains("attendee"))
            let trail = try await service.admin.get("/v1/admin/audit?act=person.erase").expect(200)
            #expect(trail.json?["items"]?[0]?["subjectId"] == erased.json?["id"])
            let again = try await Self.erase(service).expect(200)
            #expect(again.json?["erased"]?.members?.allSatisfy { $0.value == .number("0") } == true)
        }
    }

    @Test func linkOfAnErasedPersonIsInvalid() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "attendee""#)
            let created = try await service.host.post(
                "\(meeting.path)/attendees", json: #"{"name": "Person ann", "email": "ann@example.org"}"#
            ).expect(201)
            let link = try await service.host.post("\(meeting.path)/attendees/\(created.string("id"))/link").expect(200)
            try await Self.erase(service).expect(200)
            let sent = try await meeting.submit(#"{"pace": 2}"#, respondent: link.string("token"))
            #expect(sent.status == 401, "\(sent.text)")
            #expect(try await meeting.results().expect(200).json?["submissions"] == .number("0"))
        }
    }

    @Test func anonymousAnswersRemainBecauseTheyAreUnlinkable() async throws {
        try await TestService.run { service in
            let meeting = try await Self.meeting(service, settings: #""identity": "attendee", "anonymous": true"#)
            let erased = try await Self.erase(service).expect(200)
            #expect(erased.json?["erased"]?["submissions"] == .number("0"))
            #expect(try await meeting.results().expect(200).json?["submissions"] == .number("2"))
            #expect(try await service.tables(containing: "ann@example.org") == [])
        }
    }

    @Test func addressIsNotTreatedAsAPattern() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let id = try #require(UUID(uuidString: meeting.id))
            for email in ["a@b.c", "aa@b.c", "a@bxc", "a@b.cc"] {
                try await service.sql(
                    "INSERT INTO attendee (id, meeting_id, name, email) VALUES (\(UUID()), \(id), 'A', \(email))")
            }
            for pattern in ["%@b.c", ".*@b.c"] {
                let none = try await Self.erase(service, "{\"email\": \"\(pattern)\"}").expect(200)
                #expect(none.json?["erased"]?["attendees"] == .number("0"))
            }
            let one = try await Self.erase(service, #"{"email": "a@b.c"}"#).expect(200)
            #expect(one.json?["erased"]?["attendees"] == .number("1"))
            #expect(try await Self.erase(service, #"{"email": "nobody"}"#).faults == ["/email invalid-email"])
            #expect(try await Self.erase(service, "{}").faults == ["/email required"])
        }
    }

    @Test func storedResponsesWithTheAddressAsAValueAreErased() async throws {
        try await TestService.run { service in
            let host = service.fixture.host.account.id
            let responses = [
                "whole": #"{"a": [{"email":"A@b.c"}]}"#, "escaped": #"{"email":"\u0061@b.c"}"#,
                "longer": #"{"email":"aa@b.c"}"#, "within": #"{"title":"to a@b.c or not"}"#, "name": #"{"a@b.c":1}"#,
            ]
            for (key, response) in responses {
                try await service.sql(
                    """
                    INSERT INTO idempotency (account_id, route, key, body_hash, response)
                    VALUES (\(host), 'POST /v1/meetings', \(key), 'x', \(Array(response.utf8)))
                    """)
            }
            try await Self.erase(service, #"{"email": "a@B.c"}"#).expect(200)
            let remaining = try await service.fixture.store.pool.query("SELECT key FROM idempotency ORDER BY key")
            let keys = try remaining.map { row -> String in try row.decode(String.self) }
            #expect(keys == ["longer", "name", "within"])
        }
    }

    @Test func acceptedInvitationKeepsNoDataOfTheErasedAccount() async throws {
        try await TestService.run { service in
            try await service.sql(
                """
                INSERT INTO invitation (id, hash, email, note, created_by, expires_at, spent_at, spent_by)
                VALUES (\(UUID()), 'a', NULL, 'the tall one', \(UUID()), now(), now(),
                    \(service.fixture.host.account.id))
                """)
            let erased = try await Self.erase(service, #"{"email": "host@example.org"}"#).expect(200)
            #expect(erased.json?["erased"]?["invitations"] == .number("1"))
            #expect(try await service.tables(containing: "the tall one") == [])
        }
    }

    @Test func erasureDeletesTheAccountOfTheAddress() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let body = #"{"email": "host@example.org", "heir": "other@example.org"}"#
            let erased = try await Self.erase(service, body).expect(200)
            #expect(erased.json?["erased"]?["accounts"] == .number("1"))
            #expect(try await service.host.get("/v1/me").status == 401)
            #expect(try await service.other.get(meeting.path).status == 200)
            #expect(try await service.tables(containing: "host@example.org") == [])
            let last = try await Self.erase(service, #"{"email": "admin@example.org"}"#)
            #expect(last.status == 409 && last.problem == "last-admin")
        }
    }

    @Test func concurrentAnswersAreEitherCountedOrErased() async throws {
        // At its end, `TestService.run` compares the tallies with a recount.
        try await TestService.run { service in
            let meeting = try await Self.meeting(service, settings: #""identity": "attendee""#)
            var tokens: [String] = []
            for number in 0..<20 {
                let created = try await service.host.post(
                    "\(meeting.path)/attendees",
                    json: "{\"name\": \"P\", \"email\": \"p\(number)@example.org\"}"
                ).expect(201)
                let link = try await service.host.post("\(meeting.path)/attendees/\(created.string("id"))/link")
                tokens.append(try link.expect(200).string("token"))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, token) in tokens.enumerated() {
                    group.addTask { _ = try await meeting.submit(#"{"pace": 3}"#, respondent: token) }
                    group.addTask {
                        try await Self.erase(service, "{\"email\": \"p\(number)@example.org\"}").expect(200)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await service.tables(containing: "p1@example.org") == [])
        }
    }

    @Test func erasureRequiresARecentSession() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await meeting.add("Person ann", "ann@example.org").expect(201)
            let program = service.anyone.bearing(try await APITokens.make(service.admin, ["admin"]))
            try await service.fixture.ageSessions()
            #expect(try await Self.erase(service).requiresConfirmation)
            #expect(try await service.tables(containing: "ann@example.org").contains("attendee"))
            let erased = try await service.admin.confirmed()
                .post("/v1/admin/erasures", json: #"{"email": "ann@example.org"}"#).expect(200)
            #expect(erased.json?["erased"]?["attendees"] == .number("1"))
            try await service.fixture.ageSessions()
            try await program.post("/v1/admin/erasures", json: #"{"email": "nobody@example.org"}"#).expect(200)
        }
    }
}
