import Foundation
import HTTPAPI
import HTTPTypes
import Postgres
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct SafeMethods {
    /// A hash of the rows of each table, by the table's name.
    static func checksum(_ service: TestService) async throws -> [String: String] {
        let pool = service.fixture.store.pool
        var sums: [String: String] = [:]
        for row in try await pool.query("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'") {
            let table = try row.decode(String.self)
            let rows = try await pool.query(
                "SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM \(identifier: table) t")
            sums[table] = try rows.first?.decode(String.self)
        }
        return sums
    }

    @Test func readsChangeNothing() async throws {
        try await TestService.run { service in
            let anonymous = try await service.openMeeting(settings: #""anonymous": true"#)
            try await anonymous.submit(#"{"pace": 3}"#).expect(201)
            let stage = try await AccessMatrix.stage(service, service.fixture.admin)
            let sent = try await stage.meeting.submit(#"{"pace": 3, "better": "x"}"#, key: "0123456789abcdef")
                .expect(201)
            try await service.host.post(
                "/v1/meetings", json: #"{"title": "A"}"#, headers: ["Idempotency-Key": "k"]
            ).expect(201)
            var calls: [(path: String, client: HTTPTestClient, status: Int)] = [
                ("/livez", service.anyone, 200), ("/readyz", service.anyone, 200),
                ("/openapi.json", service.anyone, 200),
                ("\(stage.meeting.submissionsPath)/\(try sent.string("id"))", service.anyone, 200),
            ]
            calls[3].client.authorization = "Receipt \(try sent.string("receipt"))"
            let adminColumn = try #require(Caller.allCases.firstIndex(of: .admin))
            for (route, row) in try AccessMatrix.ordered(service)
            where route.method == .get && route.access != .receipt {
                calls.append((try await stage.path(route.path, row), service.admin, row.statuses[adminColumn]))
            }
            let before = try await Self.checksum(service)
            #expect(before.count > 10 && before["submission"] != before["attendee"])
            #expect(calls.count > 10)
            for (path, client, status) in calls {
                for _ in 0..<2 {
                    let response = try await client.get(path)
                    #expect(response.status == status, "\(path): \(response.text)")
                    let head = try await client.send("HEAD", path)
                    #expect(head.status == status && head.body.isEmpty, "\(path)")
                    #expect(head["Content-Type"] == response["Content-Type"], "\(path)")
                }
            }
            #expect(try await Self.checksum(service) == before)
        }
    }
}
