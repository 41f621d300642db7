import Domain
import Foundation
import HTTPAPI
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// Forms that hosts save as templates for all hosts of the service.
@Suite(.timeLimit(.minutes(15))) struct SavedTemplateManagement {
    private static let path = "/v1/templates"
    private static let form = """
        {"title": "After the retro", "identity": "device", "anonymous": true, "closes": {"from": "end", "minutes": 60},
         "opens": "2030-01-01T09:00:00Z", "questions": \(TestStore.questions)}
        """

    private static func body(_ name: String, _ form: String = form) -> String {
        #"{"name": \#(JSONValue.string(name).text), "definition": \#(form)}"#
    }

    private static func rename(
        _ path: String, _ json: String, by client: HTTPTestClient
    ) async throws -> HTTPTestClient.Response {
        try await client.send("PATCH", path, body: Array(json.utf8))
    }

    @Test func savedFormIsOfferedToEveryHost() async throws {
        try await TestService.run { service in
            let created = try await service.host.post(Self.path, json: Self.body("  Our retro ")).expect(201)
            let id = try created.string("id")
            #expect(created.json?["name"]?.string == "Our retro")
            let found = try await service.other.get("\(Self.path)/\(id)").expect(200)
            let definition = try #require(found.json?["definition"])
            #expect(definition["anonymous"]?.bool == true && definition["title"]?.string == "After the retro")
            #expect(definition["closes"]?["minutes"]?.int == 60 && definition["opens"] == .null, "a date is dropped")
            let list = try await service.other.get(Self.path).expect(200)
            let line = try #require(list.json?["items"]?.array?.first)
            #expect(line["definition"] == nil && line["questions"]?.int == definition["questions"]?.array?.count)
            #expect(line["owner"]?["id"]?.string == service.fixture.host.account.id.uuidString.lowercased())
        }
    }

    @Test func onlyTheOwnerAndAdminsChangeATemplate() async throws {
        try await TestService.run { service in
            let created = try await service.host.post(Self.path, json: Self.body("Retro")).expect(201)
            let path = "\(Self.path)/\(try created.string("id"))"
            #expect(try await Self.rename(path, #"{"name": "Mine"}"#, by: service.other).problem == "forbidden")
            #expect(try await service.other.delete(path).problem == "forbidden")
            _ = try await Self.rename(path, #"{"name": "Ours"}"#, by: service.host).expect(200)
            let renamed = try await Self.rename(path, #"{"name": "Everybody's"}"#, by: service.admin).expect(200)
            #expect(renamed.json?["name"]?.string == "Everybody's")
            _ = try await service.admin.delete(path).expect(204)
            #expect(try await service.host.get(path).status == 404)
            #expect(try await service.host.delete(path).status == 404)
        }
    }

    @Test(arguments: [
        (#"{}"#, ["/name required", "/definition required"]),
        (#"{"name": " ", "definition": {}}"#, ["/name required"]),
        (
            #"{"name": "A", "definition": {"questions": [{"key": "a", "kind": "text", "title": ""}]}}"#,
            ["/definition/questions/0/title required"]
        ),
        (#"{"name": "A", "definition": {}, "more": 1}"#, ["/more unknown-field"]),
        (#"{"name": "A\u0000", "definition": {}}"#, ["/name nul-character"]),
    ])
    func invalidTemplatesAreRefused(body: String, faults: [String]) async throws {
        try await TestService.run { service in
            let response = try await service.host.post(Self.path, json: body)
            #expect([400, 422].contains(response.status) && response.faults == faults, "\(response.text)")
        }
    }

    @Test func namesHaveAtMost100Characters() async throws {
        try await TestService.run { service in
            let long = String(repeating: "👩🏽‍🤝‍👩🏻", count: 100)
            let created = try await service.host.post(Self.path, json: Self.body(long)).expect(201)
            #expect(created.json?["name"]?.string == long)
            let refused = try await service.host.post(Self.path, json: Self.body(long + "x"))
            #expect(refused.status == 422 && refused.faults == ["/name too-long"])
            let path = "\(Self.path)/\(try created.string("id"))"
            let tooLong = String(repeating: "x", count: 101)
            let renamed = try await Self.rename(path, #"{"name": "\#(tooLong)"}"#, by: service.host)
            #expect(renamed.faults == ["/name too-long"])
            let blank = try await Self.rename(path, #"{"name": ""}"#, by: service.host)
            #expect(blank.faults == ["/name required"])
        }
    }

    @Test func accountHasAtMost100Templates() async throws {
        try await TestService.run { service in
            let owner = service.fixture.host.account.id
            try await service.sql(
                """
                INSERT INTO saved_template (id, owner_id, name, definition)
                SELECT gen_random_uuid(), \(owner), 'T' || n, '{"questions": []}' FROM generate_series(1, 98) n
                """)
            // Concurrent requests do not exceed the limit either.
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<5 {
                    group.addTask { try await service.host.post(Self.path, json: Self.body("N\(index)")).status }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }.sorted()
            }
            #expect(statuses == [201, 201, 422, 422, 422])
            let refused = try await service.host.post(Self.path, json: Self.body("One more"))
            #expect(refused.faults == ["/name too-many-templates"])
            // Another account still can.
            _ = try await service.other.post(Self.path, json: Self.body("Theirs")).expect(201)
            let pages = try await service.other.get(Self.path + "?limit=60").expect(200)
            let next = try #require(pages.json?["next"]?.string)
            let rest = try await service.other.get(Self.path + "?limit=60&cursor=\(next)").expect(200)
            #expect(rest.json?["items"]?.array?.count == 41 && rest.json?["next"] == .null)
        }
    }

    @Test func repeatedRequestSavesOneTemplate() async throws {
        try await TestService.run { service in
            let key = ["Idempotency-Key": "one"]
            let first = try await service.host.post(Self.path, json: Self.body("Retro"), headers: key).expect(201)
            let again = try await service.host.post(Self.path, json: Self.body("Retro"), headers: key).expect(201)
            #expect(again["Idempotency-Replayed"] == "true" && again.text == first.text)
            let other = try await service.host.post(Self.path, json: Self.body("Other"), headers: key)
            #expect(other.problem == "idempotency-conflict")
        }
    }

    @Test(arguments: [true, false])
    func deletedAccountsTemplatesGoToTheHeirOrAreDeleted(hasHeir: Bool) async throws {
        try await TestService.run { service in
            let created = try await service.host.post(Self.path, json: Self.body("Retro")).expect(201)
            let path = "\(Self.path)/\(try created.string("id"))"
            let data = try await service.host.get("/v1/me/data").expect(200)
            #expect(data.json?["templates"]?.array?.first?["name"]?.string == "Retro")
            let heir = hasHeir ? #", "heir": "other@example.org""# : ""
            let erasure = #"{"email": "host@example.org"\#(heir)}"#
            _ = try await service.admin.post("/v1/admin/erasures", json: erasure).expect(200)
            let found = try await service.other.get(path)
            #expect(found.status == (hasHeir ? 200 : 404), "\(found.text)")
            if hasHeir {
                #expect(found.json?["owner"]?["name"]?.string == "Otto Other")
                _ = try await service.other.delete(path).expect(204)
            }
        }
    }
}
