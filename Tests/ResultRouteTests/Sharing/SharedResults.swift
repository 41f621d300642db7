import Contract
import Foundation
import HTTPAPI
import HTTPServer
import Logging
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// Links with which anyone can read a meeting's results until the links expire or are revoked.
@Suite(.timeLimit(.minutes(15))) struct SharedResults {
    private static func expire(_ id: ResourceID, _ service: TestService) async throws {
        try await service.sql("UPDATE share SET expires_at = \(Date(timeIntervalSinceNow: -1)) WHERE id = \(id.uuid)")
    }

    @Test func holderReadsTheSameBytesAsTheHost() async throws {
        try await TestService.run(options: .init(publicURL: "https://feedback.example.org")) { service in
            let times = #""startsAt": "2026-11-21T09:00:00Z", "endsAt": "2026-11-21T10:00:00Z", "timeZone": "UTC""#
            let meeting = try await service.openMeeting(members: times)
            try await meeting.submit(#"{"pace": 4, "better": "words"}"#).expect(201)
            let share: Share = try await meeting.share(#"{"name": "for the board"}"#).decoded()
            let token = try #require(share.token)
            #expect(token.utf8.count == 43 && share.url == "https://feedback.example.org/r/\(token)")
            #expect(share.name == "for the board" && share.createdBy.name == "Hanna Host")
            let days = share.expiresAt.timeIntervalSince(share.createdAt) / 86_400
            #expect(abs(days - 30) < 0.001)
            let shared: SharedMeeting = try await service.anyone.get("/v1/shares/\(token)").expect(200).decoded()
            #expect(shared.title == "A meeting" && shared.round == 1 && shared.expiresAt == share.expiresAt)
            #expect(shared.startsAt == Date(timeIntervalSince1970: 1_795_251_600))
            let host = try await meeting.results().expect(200)
            let results = try await service.anyone.get("/v1/shares/\(token)/results").expect(200)
            #expect(results.body == host.body && results["ETag"] == host["ETag"])
            let known = ["If-None-Match": results["ETag"] ?? ""]
            #expect(try await service.anyone.get("/v1/shares/\(token)/results", headers: known).status == 304)
            let texts = try await service.anyone.get("/v1/shares/\(token)/results/better/answers")
            #expect(
                texts.status == 403 && texts.problem == "results-not-shown",
                "texts are not shown unless they are released")
            // All other methods are refused.
            for verb in ["POST", "PUT", "PATCH", "DELETE"] {
                #expect(try await service.anyone.send(verb, "/v1/shares/\(token)").status == 405)
            }
            let listed = try await meeting.host.get("\(meeting.path)/shares").expect(200)
            let items = try listed.decoded(as: Page<Share>.self).items
            #expect(items.map(\.id) == [share.id] && items.allSatisfy { $0.token == nil && $0.url == nil })
            let data = try await service.host.get("/v1/me/data").expect(200)
            #expect(data.json?["shares"]?[0]?["name"]?.string == "for the board")
            for text in [listed.text, data.text] { #expect(!text.contains(token) && !text.contains("hash")) }
            let stored = try await service.fixture.store.pool.query("SELECT hash FROM share").first?.decode(
                [UInt8].self)
            #expect(stored.map { String(decoding: $0, as: UTF8.self) } != token && stored?.count == 32)
        }
    }

    @Test func shareEndsAtItsExpiryAndWhenRevoked() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            try await meeting.moderate("release").expect(204)
            for isRevoked in [true, false] {
                let share: Share = try await meeting.share().decoded()
                let path = "/v1/shares/\(share.token ?? "")"
                let targets = [path, path + "/results", path + "/results/better/answers"]
                let tag = try #require(try await service.anyone.get(path + "/results")["ETag"])
                for target in targets { try await service.anyone.get(target).expect(200) }
                if isRevoked {
                    for _ in 1...2 {
                        #expect(try await meeting.host.delete("\(meeting.path)/shares/\(share.id)").status == 204)
                    }
                } else {
                    try await Self.expire(share.id, service)
                }
                for target in targets {
                    let response = try await service.anyone.get(target, headers: ["If-None-Match": tag])
                    #expect(response.status == 410 && response.problem == "share-ended", "\(target)")
                }
                let listed = try await meeting.host.get("\(meeting.path)/shares").decoded(as: Page<Share>.self)
                #expect(listed.items.isEmpty)
            }
            let entries = try await service.admin.get("/v1/admin/audit?act=share.revoke").expect(200)
            #expect(entries.json?["items"]?.array?.count == 1, "the second revocation has no effect")
            // A month after a share has ended, its row is deleted.
            let (revokedAt, expiresAt) = (
                Statement.earlier("revoked_at", by: "interval '31 days'"),
                Statement.earlier("expires_at", by: "interval '31 days'")
            )
            try await service.sql("UPDATE share SET expires_at = \(fragment: expiresAt) WHERE revoked_at IS NULL")
            try await service.sql("UPDATE share SET revoked_at = \(fragment: revokedAt)")
            let valid = try await meeting.sharePath()
            try await service.fixture.store.sweep()
            let remaining = try await service.fixture.store.pool.query("SELECT count(*) FROM share").first?.decode(
                Int.self)
            #expect(remaining == 1)
            try await service.anyone.get(valid).expect(200)
        }
    }

    @Test func replayDoesNotShowTheTokenAgain() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let key = ["Idempotency-Key": "one"]
            let path = "\(meeting.path)/shares"
            let first = try await service.host.post(path, json: #"{"name": "a"}"#, headers: key).expect(201)
            let again = try await service.host.post(path, json: #"{"name": "a"}"#, headers: key).expect(201)
            #expect(again["Idempotency-Replayed"] == "true")
            #expect(first.json?["id"] == again.json?["id"])
            #expect(again.json?["token"] == nil && again.json?["url"] == nil)
            #expect(try await service.host.post(path, json: #"{"name": "b"}"#, headers: key).status == 409)
            let stored = try await service.fixture.store.pool.query(
                "SELECT count(*) FROM idempotency WHERE convert_from(response, 'UTF8') LIKE '%token%'")
            #expect(try stored.first?.decode(Int.self) == 0)
        }
    }

    @Test func requestsForSharesAreValidated() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let path = "\(meeting.path)/shares"
            for (body, status, fault) in [
                (#"{"expiresAt": "2020-01-01T00:00:00Z"}"#, 422, "/expiresAt in-the-past"),
                (#"{"expiresAt": "2999-01-01T00:00:00Z"}"#, 422, "/expiresAt too-late"),
                (#"{"expiresAt": "tomorrow"}"#, 422, "/expiresAt invalid-time"),
                (#"{"expiresAt": 5}"#, 400, "/expiresAt wrong-type"),
                ("{\"name\": \"\(String(repeating: "n", count: 101))\"}", 422, "/name too-long"),
                (#"{"name": ""}"#, 422, "/name required"), (#"{"name": " \t "}"#, 422, "/name required"),
                (#"{"name": "a", "admin": true}"#, 400, "/admin unknown-field"),
                ("[]", 400, " wrong-type"), ("{", 400, " invalid-json"),
            ] {
                let response = try await service.host.post(path, json: body)
                #expect(response.status == status && response.faults == [fault], "\(body): \(response.text)")
            }
            #expect(try await service.other.post(path).status == 404)
            #expect(try await service.host.delete("\(path)/nonsense").status == 404)
            #expect(try await service.host.delete("\(path)/\(ResourceID(UUID()))").status == 404)
            let elsewhere = try await service.openMeeting()
            let share: Share = try await meeting.share().decoded()
            #expect(try await service.host.delete("\(elsewhere.path)/shares/\(share.id)").status == 404)
            for token in ["nonsense", "%00", String(repeating: "A", count: 43), String(repeating: "a", count: 9_000)] {
                #expect(try await service.anyone.get("/v1/shares/\(token)").status == 404, "\(token)")
                #expect(try await service.anyone.get("/v1/shares/\(token)/results").status == 404, "\(token)")
            }
        }
    }

    @Test func validSharesAreServedDuringGuesses() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let valid = try await meeting.sharePath() + "/results"
            var statuses: [Int] = []
            for number in 0..<120 {
                statuses.append(try await service.anyone.get("/v1/shares/guessed-token\(number)").status)
            }
            #expect(statuses.prefix(100).allSatisfy { $0 == 404 } && statuses.suffix(10).allSatisfy { $0 == 429 })
            try await service.anyone.get(valid).expect(200)
        }
    }

    @Test func atMostAHundredSharesAreValidUnderConcurrency() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let id = try #require(UUID(uuidString: meeting.id))
            try await service.sql(
                """
                INSERT INTO share (id, meeting_id, hash, created_by, expires_at)
                SELECT gen_random_uuid(), \(id), sha256(n::text::bytea), a.id, now() + interval '1 day'
                FROM generate_series(1, 95) n, account a WHERE a.email = 'host@example.org'
                """)
            let responses = try await withThrowingTaskGroup(of: HTTPTestClient.Response.self) { group in
                for _ in 0..<20 { group.addTask { try await meeting.host.post("\(meeting.path)/shares") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(responses.count { $0.status == 201 } == 5)
            #expect(responses.filter { $0.status != 201 }.allSatisfy { $0.status == 422 && $0.faults == [" too-many"] })
            try await service.sql("UPDATE share SET revoked_at = now() WHERE meeting_id = \(id)")
            #expect(try await meeting.share().status == 201)
        }
    }

    @Test func shareIsTrashedAndRestoredWithItsMeeting() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let path = try await meeting.sharePath()
            _ = try await meeting.host.delete(meeting.path).expect(204)
            for target in [path, path + "/results"] { #expect(try await service.anyone.get(target).status == 404) }
            #expect(try await meeting.host.post("\(meeting.path)/shares").status == 404)
            try await meeting.host.post("\(meeting.path)/restore").expect(200)
            try await service.anyone.get(path).expect(200)
            _ = try await meeting.host.delete(meeting.path).expect(204)
            try await service.sql("UPDATE meeting SET purges_at = now()")
            try await service.fixture.store.sweep()
            let remaining = try await service.fixture.store.pool.query("SELECT count(*) FROM share").first?.decode(
                Int.self)
            #expect(remaining == 0)
        }
    }

    @Test func revocationAppliesToOtherInstancesAtOnce() async throws {
        try await TestService.run { service in
            let store = try await service.fixture.secondStore()
            try await TestService.serve(store) { otherInstance in
                let meeting = try await service.openMeeting(settings: #""showResults": "always""#)
                let share: Share = try await meeting.share().decoded()
                let path = "/v1/shares/\(share.token ?? "")/results"
                for number in 1...5 {
                    try await meeting.submit("{\"pace\": \(number)}").expect(201)
                    let host = try await meeting.results().expect(200)
                    #expect(try await otherInstance.get(path).expect(200).body == host.body)
                    #expect(try await otherInstance.get("\(meeting.formPath)/results").expect(200).body == host.body)
                }
                try await meeting.moderate("release").expect(204)
                try await otherInstance.get("\(path)/better/answers").expect(200)
                _ = try await meeting.host.delete("\(meeting.path)/shares/\(share.id)").expect(204)
                #expect(try await otherInstance.get(path).status == 410)
                try await meeting.show("never")
                #expect(try await otherInstance.get("\(meeting.formPath)/results").status == 403)
            }
            await store.close()
        }
    }

    @Test func logsContainNoCodeReceiptOrToken() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "afterSubmission""#)
            try await meeting.moderate("release").expect(204)
            let (share, receipt) = (try await meeting.sharePath(), try await meeting.receipt().receipt)
            let api = try AfterwordAPI.api(store: service.fixture.store, metrics: PrometheusRegistry())
            let tape = LogTape()
            try await LiveServer.run(api, logger: tape.logger(.trace)) { client, _ in
                let proof = ["Authorization": "Receipt \(receipt)"]
                for suffix in ["/results", "/results/better/answers"] {
                    try await client.get(share + suffix).expect(200)
                    try await client.get(meeting.formPath + suffix, headers: proof).expect(200)
                }
                try await client.get(share).expect(200)
                try await client.get("/livez").expect(200)
            }
            #expect(tape.lines.contains { $0.contains("GET /livez") })
            for text in [meeting.code, receipt, String(share.dropFirst("/v1/shares/".count)), "/forms", "/shares"] {
                #expect(!tape.lines.contains { $0.contains(text) }, "\(text)")
            }
        }
    }

    @Test func viewersCanNeitherShareResultsNorReleaseTexts() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let body = #"{"email": "other@example.org", "role": "viewer"}"#
            try await service.host.post("/v1/series/\(meeting.seriesID)/hosts", json: body).expect(201)
            #expect(try await service.other.post("\(meeting.path)/shares").status == 403)
            #expect(try await service.other.get("\(meeting.path)/shares").status == 403)
            #expect(try await service.other.post("\(meeting.path)/results/better/release").status == 403)
        }
    }
}
