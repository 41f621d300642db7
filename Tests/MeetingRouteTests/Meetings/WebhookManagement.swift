import Domain
import Foundation
import HTTPAPI
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct WebhookManagement {
    private static let body = #"{"url": "https://example.org/hook", "events": ["results.changed", "form.opened"]}"#

    @Test func secretIsShownOnce() async throws {
        try await TestService.run { service in
            let key = ["Idempotency-Key": "one"]
            let created = try await service.host.post("/v1/webhooks", json: Self.body, headers: key).expect(201)
            let secret = try created.string("secret")
            #expect(secret.hasPrefix("whsec_"))
            #expect(Data(base64Encoded: String(secret.dropFirst(6)))?.count == 32)
            #expect(created.json?["events"] == .array([.string("results.changed"), .string("form.opened")]))
            #expect(created.json?["failing"] == .bool(false) && created.json?["lastSuccessAt"] == .null)
            let again = try await service.host.post("/v1/webhooks", json: Self.body, headers: key).expect(201)
            #expect(again["Idempotency-Replayed"] == "true" && again.json?["secret"] == nil)
            #expect(try again.string("id") == created.string("id"))
            let conflict = try await service.host.post(
                "/v1/webhooks", json: #"{"url": "https://example.org", "events": ["form.opened"]}"#, headers: key)
            #expect(conflict.problem == "idempotency-conflict")
            let one = try await service.host.get("/v1/webhooks/\(try created.string("id"))").expect(200)
            #expect(one.json?["secret"] == nil && one.json?["url"]?.string == "https://example.org/hook")
            let list = try await service.host.get("/v1/webhooks").expect(200)
            #expect(list.json?["items"]?.array?.count == 1 && !list.text.contains("whsec_"))
            // The database does not contain the secret either, because the service derives it.
            let other = try await service.host.post("/v1/webhooks", json: Self.body).expect(201)
            #expect(try other.string("secret") != secret)
            for table in ["webhook", "webhook_state", "idempotency", "audit"] {
                let rows = try await service.fixture.store.pool.query("SELECT t::text FROM \(identifier: table) t")
                let texts = try rows.map { row -> String in try row.decode(String.self) }
                #expect(!texts.contains { $0.contains("whsec") }, "\(table)")
            }
        }
    }

    @Test(arguments: [
        "http://169.254.169.254/latest/meta-data/", "http://127.0.0.1:8080/", "http://2130706433/", "http://0x7f.1/",
        "http://[::ffff:127.0.0.1]/", "http://localhost./", "https://[::1]/", "http://10.0.0.7/",
    ])
    func privateAddressIsRefusedUnlessConfigured(url: String) async throws {
        let json = #"{"url": "\#(url)", "events": ["form.opened"]}"#
        try await TestService.run { service in
            let response = try await service.host.post("/v1/webhooks", json: json)
            #expect(response.status == 422 && response.faults == ["/url private-address"], "\(response.text)")
        }
        try await TestService.run(options: ServiceOptions(webhookTargets: WebhookTargets(allowsPrivate: true))) {
            service in
            _ = try await service.host.post("/v1/webhooks", json: json).expect(201)
        }
    }

    @Test func unlistedTargetHostIsRefused() async throws {
        let options = ServiceOptions(webhookTargets: WebhookTargets(hosts: ["example.org"]))
        try await TestService.run(options: options) { service in
            _ = try await service.host.post("/v1/webhooks", json: Self.body).expect(201)
            let other = #"{"url": "https://hooks.example.org/", "events": ["form.opened"]}"#
            let response = try await service.host.post("/v1/webhooks", json: other)
            #expect(response.status == 422 && response.faults == ["/url host-not-allowed"], "\(response.text)")
        }
    }

    @Test func allFaultsAreReportedTogether() async throws {
        try await TestService.run { service in
            for (body, status, faults) in [
                ("{}", 422, ["/url required", "/events required"]),
                (#"{"url": "ftp://example.org", "events": []}"#, 422, ["/url invalid-url", "/events required"]),
                (
                    #"{"url": "https://a:b@example.org", "events": ["x", "form.opened", "form.opened"]}"#, 422,
                    ["/url invalid-url", "/events/0 unknown-value", "/events/2 duplicate"]
                ),
                (#"{"url": 1, "events": "form.opened"}"#, 400, ["/url wrong-type", "/events wrong-type"]),
                (
                    #"{"url": "https://example.org", "events": ["webhook.test"], "secret": "x"}"#, 400,
                    ["/events/0 unknown-value", "/secret unknown-field"]
                ),
            ] {
                let response = try await service.host.post("/v1/webhooks", json: body)
                #expect(response.status == status && response.faults == faults, "\(response.text)")
            }
            let long = "https://example.org/" + String(repeating: "x", count: 2_000)
            let response = try await service.host.post(
                "/v1/webhooks", json: #"{"url": "\#(long)", "events": ["form.opened"]}"#)
            #expect(response.faults == ["/url too-long"])
            #expect(try await service.host.get("/v1/webhooks").json?["items"] == .array([]))
        }
    }

    /// Sends more concurrent requests than the limit permits.
    @Test func accountHasAtMostTwentyWebhooks() async throws {
        try await TestService.run { service in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<30 {
                    group.addTask { try await service.host.post("/v1/webhooks", json: Self.body).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 201 } == 20 && statuses.count { $0 == 422 } == 10)
            #expect(try await service.host.post("/v1/webhooks", json: Self.body).faults == [" too-many"])
            try await service.other.post("/v1/webhooks", json: Self.body).expect(201)
            var (listedIDs, cursor): (Set<String>, String?) = ([], nil)
            repeat {
                let page = try await service.host.get("/v1/webhooks?limit=7" + (cursor.map { "&cursor=\($0)" } ?? ""))
                for item in page.json?["items"]?.array ?? [] { listedIDs.insert(item["id"]?.string ?? "") }
                cursor = page.json?["next"]?.string
            } while cursor != nil
            #expect(listedIDs.count == 20)
        }
    }

    @Test func onlyTheOwnerCanAccessAWebhook() async throws {
        try await TestService.run { service in
            let id = try await service.host.post("/v1/webhooks", json: Self.body).expect(201).string("id")
            let path = "/v1/webhooks/\(id)"
            let delivery = try await service.host.post("\(path)/test").expect(202).string("id")
            let otherWebhook = try await service.other.post("/v1/webhooks", json: Self.body).expect(201).string("id")
            for client in [service.other, service.admin] {
                #expect(try await client.get(path).status == 404)
                #expect(try await client.get("\(path)/deliveries").status == 404)
                #expect(try await client.post("\(path)/test").status == 404)
                #expect(try await client.post("\(path)/deliveries/\(delivery)/redeliver").status == 404)
                #expect(try await client.delete(path).status == 404)
            }
            // The owner's deliveries cannot be reached through another webhook either.
            #expect(
                try await service.other.post("/v1/webhooks/\(otherWebhook)/deliveries/\(delivery)/redeliver").status
                    == 404)
            #expect(try await service.host.get("/v1/webhooks/nonsense").status == 404)
            try await service.host.get(path).expect(200)
            try await service.host.delete(path).expect(204)
            #expect(try await service.host.delete(path).status == 404)
        }
    }

    @Test func deliveryPagesNeitherSkipNorRepeatWhileDeliveriesArrive() async throws {
        try await TestService.run { service in
            let id = try await service.host.post("/v1/webhooks", json: Self.body).expect(201).string("id")
            let path = "/v1/webhooks/\(id)"
            func test() async throws {
                try await service.host.post("\(path)/test").expect(202)
                try await service.sql("UPDATE webhook_delivery SET failed_at = now() WHERE failed_at IS NULL")
            }
            for _ in 0..<9 { try await test() }
            var (deliveryIDs, cursor): ([String], String?) = ([], nil)
            repeat {
                let page = try await service.host.get(
                    "\(path)/deliveries?limit=2" + (cursor.map { "&cursor=\($0)" } ?? "")
                ).expect(200)
                deliveryIDs += (page.json?["items"]?.array ?? []).compactMap { $0["id"]?.string }
                cursor = page.json?["next"]?.string
                try await test()
            } while cursor != nil
            try await service.host.post("\(path)/test").expect(202)
            #expect(deliveryIDs.count == 9 && Set(deliveryIDs).count == 9)
            #expect(try await service.host.get("\(path)/deliveries?cursor=x").faults == ["?cursor invalid-cursor"])
            let newest = try await service.host.get("\(path)/deliveries?limit=1").json?["items"]?[0]
            #expect(newest?["event"]?.string == "webhook.test" && newest?["status"]?.string == "waiting")
            #expect(newest?["nextTryAt"]?.string != nil && newest?["endedAt"] == .null)
        }
    }

    @Test func everyActionIsAudited() async throws {
        try await TestService.run { service in
            let id = try await service.host.post("/v1/webhooks", json: Self.body).expect(201).string("id")
            let path = "/v1/webhooks/\(id)"
            let delivery = try await service.host.post("\(path)/test").expect(202).string("id")
            try await service.host.post("\(path)/deliveries/\(delivery)/redeliver").expect(202)
            try await service.host.delete(path).expect(204)
            let rows = try await service.fixture.store.pool.query(
                "SELECT act, subject_id::text FROM audit WHERE act LIKE 'webhook.%' ORDER BY at, id")
            let entries = try rows.map { row in
                let (act, subject) = try row.decode(String.self, String.self)
                return "\(act) \(subject)"
            }
            #expect(
                entries == [
                    "webhook.create \(id)", "webhook.test \(id)", "webhook.redeliver \(delivery)",
                    "webhook.delete \(id)",
                ])
        }
    }
}
