import Domain
import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct AccountDeletion {
    static func deleteAccount(_ client: HTTPTestClient, _ json: String? = nil) async throws -> HTTPTestClient.Response {
        try await client.send("DELETE", "/v1/me", body: json.map { Array($0.utf8) })
    }

    static func address(_ text: String) throws -> EmailAddress { try #require(EmailAddress(text)) }

    private static func times(on day: String) -> String {
        """
        "startsAt": "2027-03-\(day)T09:00:00Z", "endsAt": "2027-03-\(day)T10:00:00Z", "timeZone": "UTC"
        """
    }

    @Test func seriesGoToTheHeirEvenIfMeetingsOverlap() async throws {
        try await TestService.run { service in
            let clashing = try await service.meeting(members: Self.times(on: "01"))
            let free = try await service.meeting(members: Self.times(on: "02"))
            let own = try await service.meeting(members: Self.times(on: "01"), by: service.other)
            try await Self.deleteAccount(service.host, #"{"heir": "OTHER@example.org"}"#).expect(204)
            for (meeting, overlaps) in [(clashing, true), (free, false), (own, false)] {
                let read = try await service.other.get(meeting.path).expect(200)
                #expect(read.json?["allowOverlap"]?.bool == overlaps)
            }
            let heir = try #require(
                try await service.other.get("/v1/me").expect(200).json?["id"]?.string.flatMap(UUID.init(uuidString:)))
            #expect(
                try await service.number(
                    """
                    SELECT count(*) FROM meeting m JOIN series s ON s.id = m.series_id
                    WHERE m.host_id = \(heir) AND s.owner_id = \(heir)
                    """) == 3)
        }
    }

    @Test func deletionHonoursIfMatch() async throws {
        try await TestService.run { service in
            let tag = try #require(try await service.other.get("/v1/me").expect(200)["ETag"])
            #expect(try await service.other.delete("/v1/me", headers: ["If-Match": "\"0.stale\""]).status == 412)
            try await service.other.get("/v1/me").expect(200)
            #expect(try await service.other.delete("/v1/me", headers: ["If-Match": tag]).status == 204)
        }
    }

    @Test func seriesWithoutAnHeirAreTrashed() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(members: Self.times(on: "01"))
            let shared = try await service.meeting(by: service.other)
            try await service.sql(
                """
                INSERT INTO series_host (series_id, account_id, role)
                SELECT s.id, a.id, 'editor' FROM series s, account a
                WHERE s.owner_id <> a.id AND a.email = 'host@example.org'
                """)
            try await meeting.submit(#"{"pace": 3}"#).expect(201)
            try await Self.deleteAccount(service.host).expect(204)
            #expect(try await service.anyone.get(meeting.formPath).status == 404)
            #expect(try await meeting.submit(#"{"pace": 3}"#).status == 404)
            #expect(try await service.admin.get(meeting.path).status == 404)
            #expect(try await service.other.get(shared.path).status == 200)
            #expect(try await service.number("SELECT count(*) FROM series_host") == 0)
        }
    }

    @Test func accountIsDeletedEverywhereAndItsAddressIsFree() async throws {
        try await TestService.run { service in
            try await OwnProfile.edit(service.host, #"{"locale": "de", "timeZone": "Europe/Berlin"}"#).expect(200)
            let token = try await APITokens.make(service.host)
            let id = service.fixture.host.account.id
            // The invitation that the account accepted. The request below creates and mails a second invitation.
            try await service.sql(
                """
                INSERT INTO invitation (id, hash, email, note, created_by, expires_at, spent_at, spent_by)
                VALUES (\(UUID()), 'a', NULL, 'for Hanna Host', \(UUID()), now(), now(), \(id))
                """)
            try await service.admin.post(
                "/v1/invitations", json: #"{"email": "host@example.org", "note": "for Hanna Host"}"#,
                headers: ["Idempotency-Key": "i"]
            ).expect(201)
            #expect(try await service.tables(containing: "host@example.org").contains("idempotency"))
            try await service.host.post(
                "/v1/meetings", json: #"{"title": "Plans of Hanna"}"#, headers: ["Idempotency-Key": "k"]
            ).expect(201)
            try await Self.deleteAccount(service.host).expect(204)
            for client in [service.host, service.anyone.bearing(token)] {
                #expect(try await client.get("/v1/me").status == 401)
            }
            let credentials = "{\"email\": \"host@example.org\", \"password\": \"\(TestStore.password)\"}"
            #expect(try await service.anyone.post("/v1/sessions", json: credentials).status == 401)
            #expect(try await service.tables(containing: "host@example.org") == [])
            #expect(try await service.tables(containing: "Hanna Host") == [])
            #expect(try await service.number("SELECT count(*) FROM invitation WHERE spent_by = \(id)") == 1)
            let row = try await service.admin.get("/v1/admin/accounts/\(id)").expect(200)
            #expect(try row.string("name") == "Deleted account" && row.json?["deletedAt"]?.string != nil)
            #expect(try await ManagingAccounts.change(service.admin, id, #"{"disabled": false}"#).status == 404)
            let again = try await TestStore.account("host@example.org", "New", .host, in: service.fixture.store)
            #expect(again.account.id != id)
            #expect(try await service.anyone.post("/v1/sessions", json: credentials).status == 201)
        }
    }

    @Test func deletionRequiresARecentSession() async throws {
        try await TestService.run { service in
            try await service.fixture.ageSessions()
            for body in [nil, #"{"heir": "host@example.org"}"#] {
                #expect(try await Self.deleteAccount(service.other, body).requiresConfirmation)
            }
            try await service.other.get("/v1/me").expect(200)
            #expect(try await service.other.confirmSession("not my password").status == 422)
            #expect(try await Self.deleteAccount(service.other).requiresConfirmation)
            let confirmed = try await service.other.confirmed()
            try await Self.deleteAccount(confirmed).expect(204)
            #expect(try await confirmed.get("/v1/me").status == 401)
        }
    }

    @Test func meetingCreatedDuringTheDeletionIsRefused() async throws {
        try await TestService.run { service in
            let id = service.fixture.host.account.id
            let creation = try await service.fixture.store.pool.transaction { connection in
                try await connection.query("SELECT 1 FROM account WHERE id = \(id) FOR UPDATE")
                let creation = Task { try await service.host.post("/v1/meetings", json: #"{"title": "Late"}"#) }
                try await connection.untilAnotherConnectionWaits()
                try await connection.execute("UPDATE account SET disabled_at = now() WHERE id = \(id)")
                return creation
            }
            #expect(try await creation.value.status == 401)
            #expect(try await service.number("SELECT count(*) FROM series") == 0)
        }
    }

    @Test func pictureOrProfileEditInFlightIsRefused() async throws {
        try await TestService.run { service in
            let principal = service.fixture.host
            try await Self.deleteAccount(service.host).expect(204)
            let picture = try await problem {
                try await service.fixture.store.profiles.setPicture([1], as: "image/png", by: principal)
            }
            #expect(picture?.code == .unauthorized)
            let edit = try await problem {
                _ = try await service.fixture.store.profiles.edit(
                    ProfileEdit(), password: nil, by: principal, if: { _ in })
            }
            #expect(edit?.code == .unauthorized)
            #expect(try await service.number("SELECT count(*) FROM account_picture") == 0)
        }
    }

    @Test func refusedDeletionChangesNothing() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            _ = try await TestStore.account("gone@example.org", "Gone", .host, in: service.fixture.store)
            try await service.sql("UPDATE account SET disabled_at = now() WHERE email = 'gone@example.org'")
            for heir in ["nobody@example.org", "gone@example.org", "host@example.org"] {
                let response = try await Self.deleteAccount(service.host, "{\"heir\": \"\(heir)\"}")
                #expect(response.status == 422 && response.faults == ["/heir unknown-account"], "\(heir)")
            }
            #expect(try await Self.deleteAccount(service.host, #"{"heir": "x"}"#).faults == ["/heir invalid-email"])
            #expect(try await Self.deleteAccount(service.host, #"{"to": "x"}"#).status == 400)
            let program = service.anyone.bearing(try await APITokens.make(service.host))
            #expect(try await Self.deleteAccount(program).status == 403)
            let last = try await Self.deleteAccount(service.admin)
            #expect(last.status == 409 && last.problem == "last-admin")
            #expect(try await service.host.get(meeting.path).status == 200)
            #expect(try await service.admin.get("/v1/me").status == 200)
        }
    }

    @Test func accountExportContainsThePersonsDataAndNoSecrets() async throws {
        try await TestService.run { service in
            let mine = try await service.openMeeting()
            try await mine.submit(#"{"better": "the words of a guest"}"#).expect(201)
            let theirs = try await service.meeting(by: service.other)
            let series = try #require(UUID(uuidString: theirs.seriesID))
            let meeting = try #require(UUID(uuidString: theirs.id))
            try await service.sql(
                """
                WITH m AS (INSERT INTO member (id, series_id, name, email)
                    VALUES (\(UUID()), \(series), 'Hanna', 'HOST@example.org'))
                INSERT INTO attendee (id, meeting_id, name, email, status)
                VALUES (\(UUID()), \(meeting), 'Hanna', 'host@example.org', 'present')
                """)
            try await service.admin.post(
                "/v1/invitations", json: #"{"email": "Host@example.org", "note": "spring term"}"#
            ).expect(201)
            let id = service.fixture.host.account.id
            for disabled in [true, false] {
                try await ManagingAccounts.change(service.admin, id, "{\"disabled\": \(disabled)}").expect(200)
            }
            let host = service.anyone.bearing(
                try await TestService.token(of: service.fixture.host, in: service.fixture.store))
            let response = try await host.get("/v1/me/data").expect(200)
            #expect(response["Content-Disposition"]?.hasPrefix("attachment") == true)
            let data = try #require(response.json)
            #expect(data["account"]?["email"]?.string == "host@example.org")
            let counts = ["series", "meetings", "memberships", "attendances", "tokens", "truncated"].map {
                data[$0]?.array?.count
            }
            #expect(counts == [1, 1, 1, 1, 0, 0])
            #expect(
                data["acts"]?.array?.compactMap { $0["act"]?.string }.sorted() == ["form.publish", "meeting.create"])
            let others = ["invited", "mails", "actsByOthers"].map { name in
                data[name]?.array?.compactMap { ($0["act"] ?? $0["kind"] ?? $0["note"])?.string }
            }
            #expect(others == [["spring term"], ["host-invitation"], ["account.enable", "account.disable"]])
            for secret in ["argon2", "code=", "\"body\"", "hash", "the words of a guest", "other@example.org"] {
                #expect(!response.text.contains(secret), "\(secret)")
            }
        }
    }
}
