import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@testable import Webhooks

/// Which webhooks get which events.
@Suite(.timeLimit(.minutes(15))) struct EventAudience {
    private static func loggedEvents(_ hook: TestHook, by owner: HTTPTestClient? = nil) async throws -> [String] {
        try await hook.log(by: owner).compactMap { $0["event"]?.string }.reversed()
    }

    private static func bodies(_ service: TestService, _ event: Event) async throws -> [String] {
        try await service.fixture.store.pool.query(
            "SELECT body FROM webhook_delivery WHERE event = \(event.rawValue) ORDER BY id"
        ).map { row in try row.decode(String.self) }
    }

    @Test func webhookGetsSubscribedEventsOfItsOwnSeries() async throws {
        try await TestHook.run { service in
            let all = try await TestHook.make("http://127.0.0.1:9/", in: service)
            let few = try await TestHook.make("http://127.0.0.1:9/", [.attendeeCheckedIn], in: service)
            let other = try await TestHook.make("http://127.0.0.1:9/", by: service.other, in: service)
            let admin = try await TestHook.make("http://127.0.0.1:9/", by: service.admin, in: service)
            _ = try await service.meeting()
            #expect(try await Self.loggedEvents(all) == ["meeting.created"])
            #expect(try await Self.loggedEvents(few) == [])
            #expect(try await Self.loggedEvents(other, by: service.other) == [])
            #expect(try await Self.loggedEvents(admin, by: service.admin) == [])
        }
    }

    @Test func everyCreatedRoundIsAnEvent() async throws {
        try await TestHook.run { service in
            let hook = try await TestHook.make("http://127.0.0.1:9/", [.meetingCreated], in: service)
            let created = try await service.host.post(
                "/v1/meetings",
                json: """
                    {"title": "A", "timeZone": "UTC", "startsAt": "2027-01-01T10:00:00Z",
                     "endsAt": "2027-01-01T11:00:00Z", "repeat": {"every": "P7D", "count": 3}}
                    """
            ).expect(201)
            #expect(try await Self.loggedEvents(hook).count == 3)
            try await service.host.post("/v1/series/\(try created.string("seriesId"))/meetings", json: "{}").expect(201)
            let rounds = try await Self.bodies(service, .meetingCreated).map { body in
                try JSONValue.parse(Array(body.utf8))["data"]?["round"]
            }
            #expect(Set(rounds.compactMap { $0.map { $0.text } }) == ["1", "2", "3", "4"] && rounds.count == 4)
        }
    }

    @Test func longTitlesAreCut() async throws {
        try await TestHook.run { service in
            _ = try await TestHook.make("http://127.0.0.1:9/", [.meetingCreated], in: service)
            let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}"
            for (title, kept) in [
                (String(repeating: "x", count: 300), 300), (String(repeating: family, count: 300), 101),
            ] {
                try await service.host.post("/v1/meetings", json: "{\"title\": \"\(title)\", \"timeZone\": \"UTC\"}")
                    .expect(201)
                let body = try #require(try await Self.bodies(service, .meetingCreated).last)
                let sent = try JSONValue.parse(Array(body.utf8))["data"]?["title"]?.string
                #expect(sent?.count == kept)
            }
        }
    }

    @Test func refusedAndReplayedRequestsWriteNoEvent() async throws {
        try await TestHook.run { service in
            let hook = try await TestHook.make("http://127.0.0.1:9/", [.meetingCreated], in: service)
            let json = """
                {"title": "A", "timeZone": "UTC", "startsAt": "2027-01-01T10:00:00Z", "endsAt": "2027-01-01T11:00:00Z"}
                """
            for _ in 0..<2 {
                try await service.host.post("/v1/meetings", json: json, headers: ["Idempotency-Key": "k"]).expect(201)
            }
            try await service.host.post("/v1/meetings", json: json).expect(409)
            #expect(try await Self.loggedEvents(hook).count == 1)
        }
    }

    /// The transaction is rolled back after the event was written in it.
    @Test func rolledBackEventsAreNotDelivered() async throws {
        try await TestHook.run { service in
            let hook = try await TestHook.make("http://127.0.0.1:9/", [.meetingCreated], in: service)
            // Connects as the owner of the tables, because the service's role may not create triggers.
            let owner = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            try await owner.execute(
                """
                CREATE FUNCTION undo() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40002'; END $$
                """)
            try await owner.execute(
                """
                CREATE CONSTRAINT TRIGGER undo AFTER INSERT ON webhook_delivery DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION undo()
                """)
            await owner.close()
            #expect(try await service.host.post("/v1/meetings", json: #"{"title": "A"}"#).status == 500)
            #expect(try await Self.loggedEvents(hook) == [])
            #expect(try await service.fixture.store.pool.query("SELECT FROM meeting").isEmpty)
        }
    }

    @Test func coHostGetsEventsUntilTheyAreRemoved() async throws {
        try await TestHook.run { service in
            let hook = try await TestHook.make("http://127.0.0.1:9/", by: service.other, in: service)
            let meeting = try await service.meeting()
            let hosts = "/v1/series/\(meeting.seriesID)/hosts"
            let rounds = "/v1/series/\(meeting.seriesID)/meetings"
            try await service.host.post(rounds, json: "{}").expect(201)
            #expect(try await Self.loggedEvents(hook, by: service.other) == [])
            try await service.host.post(hosts, json: #"{"email": "other@example.org", "role": "viewer"}"#).expect(201)
            try await service.host.post(rounds, json: "{}").expect(201)
            #expect(try await Self.loggedEvents(hook, by: service.other) == ["meeting.created"])
            try await service.sql("DELETE FROM series_host")
            try await service.host.post(rounds, json: "{}").expect(201)
            #expect(try await Self.loggedEvents(hook, by: service.other) == ["meeting.created"])
        }
    }

    @Test func checkInIsOneEventWithoutNameAndAddress() async throws {
        try await TestHook.run { service in
            let hook = try await TestHook.make("http://127.0.0.1:9/", [.attendeeCheckedIn], in: service)
            let meeting = try await service.meeting()
            let start = RFC3339.format(.now - 60)
            let tag = try #require(try await service.host.get(meeting.path).expect(200)["ETag"])
            try await service.host.send(
                "PATCH", meeting.path,
                body: Array(#"{"startsAt": "\#(start)", "endsAt": "\#(RFC3339.format(.now + 3600))"}"#.utf8),
                headers: ["If-Match": tag]
            ).expect(200)
            let code = try await service.host.get(meeting.path).expect(200).string("checkInCode")
            let listed = try await service.host.post(
                "\(meeting.path)/attendees", json: #"{"name": "Listed Lou", "email": "lou@example.org"}"#
            ).expect(201)
            let marked = try await service.host.post(
                "\(meeting.path)/attendees", json: #"{"name": "Marked Max", "status": "present"}"#)
            try marked.expect(201)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await service.anyone.post(
                            "/v1/check-ins/\(code)", json: #"{"name": "Lou", "email": "lou@example.org"}"#
                        ).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 201 } == 1 && statuses.count { $0 == 200 } == 19)
            #expect(try await Self.loggedEvents(hook) == ["attendee.checked-in"], "a host's mark is not a check-in")
            let body = try #require(try await Self.bodies(service, .attendeeCheckedIn).first)
            #expect(!body.contains("Lou") && !body.contains("example.org"))
            let data = try JSONValue.parse(Array(body.utf8))["data"]
            #expect(
                Set((data?.members ?? []).map(\.name))
                    == ["meetingId", "seriesId", "round", "title", "attendeeId", "status", "attended"])
            #expect(try data?["attendeeId"]?.string == listed.string("id"))
            #expect(data?["attended"] == JSONValue(2))
        }
    }

    @Test func deletedAccountsLoseTheirWebhooks() async throws {
        try await TestHook.run { service in
            _ = try await TestHook.make("http://127.0.0.1:9/", in: service)
            _ = try await service.meeting()
            let stored = try await service.host.get("/v1/me/data").expect(200)
            #expect(stored.json?["webhooks"]?[0]?["url"]?.string == "http://127.0.0.1:9/")
            try await service.host.delete("/v1/me", headers: ["If-Match": "*"]).expect(204)
            for table in ["webhook", "webhook_state", "webhook_delivery"] {
                let rows = try await service.fixture.store.pool.query("SELECT FROM \(identifier: table)")
                #expect(rows.isEmpty, "\(table)")
            }
        }
    }
}
