import Foundation
import HTTPAPI
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct JoiningByCode {
    private static let futureTimes =
        #""startsAt": "2099-01-01T09:00:00Z", "endsAt": "2099-01-01T10:00:00Z", "timeZone": "UTC""#

    /// A series with one meeting, and the requests for its join codes.
    private struct JoinableSeries: Sendable {
        let service: TestService
        let meeting: TestMeeting
        var codesPath: String { "/v1/series/\(meeting.seriesID)/join-codes" }

        func createCode(_ json: String? = nil) async throws -> HTTPTestClient.Response {
            try await service.host.post(codesPath, json: json)
        }

        func join(_ code: String, _ name: String, _ email: String) async throws -> HTTPTestClient.Response {
            try await service.anyone.post("/v1/join/\(code)", json: "{\"name\": \"\(name)\", \"email\": \"\(email)\"}")
        }

        func count(_ statement: Statement) async throws -> Int {
            let rows = try await service.fixture.store.pool.query(statement)
            return try rows[0].decode(Int.self)
        }
    }

    private static func run(sendsMail: Bool = false, _ body: (JoinableSeries) async throws -> Void) async throws {
        try await TestService.run(options: ServiceOptions(sendsMail: sendsMail)) { service in
            let meeting = try await service.meeting(members: Self.futureTimes)
            try await body(JoinableSeries(service: service, meeting: meeting))
        }
    }

    @Test func tenOfFiftyConcurrentJoinsFillTheCapacity() async throws {
        try await Self.run { series in
            let code = try await series.createCode(#"{"capacity": 10}"#).expect(201).string("code")
            let statuses = try await withThrowingTaskGroup(of: (Int, String?).self) { group in
                for number in 0..<50 {
                    group.addTask {
                        let response = try await series.join(code, "P\(number)", "p\(number)@example.org")
                        return (response.status, response.problem)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0.0 == 201 } == 10)
            #expect(statuses.count { $0 == (409, "join-code-full") } == 40)
            #expect(try await series.count("SELECT count(*) FROM member") == 10)
            #expect(try await series.count("SELECT count(*) FROM attendee WHERE status = 'expected'") == 10)
            #expect(try await series.count("SELECT count(*) FROM person") == 10)
            let list = try await series.service.host.get(series.codesPath).expect(200)
            #expect(list.json?["items"]?[0]?["used"]?.text == "10")
        }
    }

    @Test func existingMembersAreNotCountedAgainAndGetNoCode() async throws {
        try await Self.run { series in
            let code = try await series.createCode(#"{"capacity": 1}"#).expect(201).string("code")
            let first = try await series.join(code, "Mina", "mina@example.org").expect(201)
            let personalCode = try first.string("code")
            #expect(try first.string("series") == "A meeting" && first.string("name") == "Mina")
            let again = try await series.join(code, "Somebody", " MINA@example.org ").expect(200)
            #expect(again.json?["code"] == nil && !again.text.contains("Mina") && !again.text.contains(personalCode))
            #expect(try await series.join(code, "Bo", "bo@example.org").problem == "join-code-full")
            #expect(try await series.count("SELECT count(*) FROM member WHERE name = 'Mina'") == 1)
            #expect(try await series.count("SELECT count(*) FROM outbox") == 0)
        }
    }

    @Test func linkIsMailedToTheAddressIfTheServiceSendsMail() async throws {
        try await Self.run(sendsMail: true) { series in
            let code = try await series.createCode().expect(201).string("code")
            let first = try await series.join(code, "Not Mina", "mina@example.org").expect(201)
            #expect(first.json?["code"] == nil && first.json?["mailed"]?.bool == true)
            let again = try await series.join(code, "Mina", "mina@example.org").expect(200)
            #expect(again.json?["code"] == nil && again.json?["mailed"]?.bool == false)
            let rows = try await series.service.fixture.store.pool.query(
                "SELECT o.recipient, o.kind, o.body, p.code FROM outbox o CROSS JOIN person p")
            let (recipient, kind, body, personCode) = try rows.single().decode(
                String.self, String.self, String.self, String.self)
            #expect(recipient == "mina@example.org" && kind == "roster-entry")
            #expect(body.contains("http://127.0.0.1:8080/p/\(personCode)\n"))
            #expect(!body.contains("Not Mina"), "The mail contains nothing that the sender wrote.")
        }
    }

    @Test func joiningSucceedsWithoutAMailAfterTheDailyLimit() async throws {
        try await Self.run(sendsMail: true) { series in
            let code = try await series.createCode().expect(201).string("code")
            try await series.service.sql(
                """
                INSERT INTO daily_mail_count (account_id, day, mails)
                SELECT id, (now() AT TIME ZONE 'UTC')::date, 499 FROM series
                """)
            #expect(try await series.join(code, "A", "a@example.org").expect(201).json?["mailed"]?.bool == true)
            let joined = try await series.join(code, "B", "b@example.org").expect(201)
            #expect(joined.json?["mailed"]?.bool == false && joined.json?["code"] == nil)
            #expect(try await series.count("SELECT mails FROM daily_mail_count") == 500)
            #expect(try await series.count("SELECT count(*) FROM outbox") == 1)
        }
    }

    @Test func allSeriesOfAnOwnerHaveOneDailyLimit() async throws {
        try await Self.run(sendsMail: true) { series in
            let code = try await series.createCode().expect(201).string("code")
            try await series.service.sql(
                """
                INSERT INTO series (id, owner_id, title, rounds, code)
                SELECT gen_random_uuid(), owner_id, 'Other', 0, substr(md5(n::text), 1, 13)
                FROM series, generate_series(1, 4) n
                """)
            try await series.service.sql(
                """
                INSERT INTO daily_mail_count (account_id, day, mails)
                SELECT id, (now() AT TIME ZONE 'UTC')::date, 500 FROM series WHERE title = 'Other'
                """)
            #expect(try await series.join(code, "A", "a@example.org").expect(201).json?["mailed"]?.bool == false)
            try await series.service.sql("UPDATE daily_mail_count SET mails = 499")
            #expect(try await series.join(code, "B", "b@example.org").expect(201).json?["mailed"]?.bool == true)
        }
    }

    @Test func knownAddressDoesNotRevealItsPersonalCode() async throws {
        try await Self.run { series in
            try await series.service.sql(
                """
                INSERT INTO person (series_id, email, code) SELECT id, 'mina@example.org', '0123456789abc' FROM series
                """)
            let code = try await series.createCode().expect(201).string("code")
            let joined = try await series.join(code, "Mina", "mina@example.org").expect(201)
            #expect(joined.json?["code"] == nil)
        }
    }

    @Test func revokedExpiredOrUnknownCodeIsNotFound() async throws {
        try await Self.run { series in
            let revoked = try await series.createCode().expect(201)
            let expired = try await series.createCode(#"{"expiresAt": "2099-01-01T00:00:00Z"}"#).expect(201)
            let path = "\(series.codesPath)/\(try revoked.string("id"))"
            try await series.service.host.delete(path).expect(204)
            #expect(try await series.service.host.delete(path).status == 404)
            let id = try #require(UUID(uuidString: try expired.string("id")))
            try await series.service.sql("UPDATE join_code SET expires_at = now() WHERE id = \(id)")
            for code in [try revoked.string("code"), try expired.string("code"), "0123456789abc", "x", "%25"] {
                let response = try await series.join(code, "A", "a@b.c")
                #expect(response.status == 404 && response.problem == "not-found", "\(code)")
            }
            // The body of a request with an invalid code is not read.
            #expect(try await series.service.anyone.post("/v1/join/x", json: "{").status == 404)
            let trashed = try await series.createCode().expect(201).string("code")
            try await series.service.host.delete("/v1/series/\(series.meeting.seriesID)").expect(204)
            #expect(try await series.join(trashed, "A", "a@b.c").status == 404)
        }
    }

    @Test func guessesFromOneAddressAreLimited() async throws {
        try await Self.run { series in
            let code = try await series.createCode().expect(201).string("code")
            var statuses: [Int] = []
            for number in 0..<120 {
                statuses.append(try await series.join("000000000\(1000 + number)", "A", "a@b.c").status)
            }
            #expect(statuses.prefix(100).allSatisfy { $0 == 404 } && statuses.suffix(20).allSatisfy { $0 == 429 })
            try await series.join(code, "A", "a@b.c").expect(201)
        }
    }

    @Test func joinCodeHasACapacityAndAnExpiry() async throws {
        try await Self.run { series in
            let created = try await series.createCode(#"{"capacity": 3, "expiresAt": "2099-01-01T00:00:00Z"}"#).expect(
                201)
            let code = try created.string("code")
            #expect(try created.string("url") == "http://127.0.0.1:8080/j/\(code)")
            #expect(try created.string("expiresAt") == "2099-01-01T00:00:00Z")
            #expect(created.json?["capacity"]?.text == "3" && created.json?["used"]?.text == "0")
            for (body, fault) in [
                (#"{"capacity": 0}"#, "/capacity out-of-range"), (#"{"capacity": -1}"#, "/capacity out-of-range"),
                (#"{"capacity": 1.5}"#, "/capacity not-an-integer"),
                (#"{"expiresAt": "2020-01-01T00:00:00Z"}"#, "/expiresAt in-the-past"),
            ] {
                let response = try await series.createCode(body)
                #expect(response.status == 422 && response.faults == [fault], "\(body)")
            }
            #expect(try await series.join(code, " ", "x").faults == ["/name required", "/email invalid-email"])
            #expect(try await series.join(code, "A", "<a@b.de>").faults == ["/email invalid-email"])
            let key = ["Idempotency-Key": "k"]
            let first = try await series.service.host.post(series.codesPath, headers: key).expect(201)
            let again = try await series.service.host.post(series.codesPath, headers: key).expect(201)
            #expect(first.body == again.body && again["Idempotency-Replayed"] == "true")
            #expect(try await series.service.host.get(series.codesPath).json?["items"]?.array?.count == 2)
        }
    }
}
