import Foundation
import HTTPAPI
import HTTPTypes
import Postgres
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct SafeMethods {
    /// Each table's rows as one hash.
    private static func checksum(_ service: TestService) async throws -> [String: String] {
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

    @Test func noReadingChangesAnything() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let other = try await service.openMeeting(settings: #""anonymous": true"#)
            try await other.submit(#"{"pace": 3}"#).expect(201)
            let sent = try await meeting.submit(#"{"pace": 3, "better": "x"}"#, key: "0123456789abcdef").expect(201)
            try await service.host.post(
                "/v1/meetings", json: #"{"title": "A"}"#, headers: ["Idempotency-Key": "k"]
            ).expect(201)
            let before = try await Self.checksum(service)
            #expect(before.count > 10 && before["submission"] != before["attendee"])

            let api = try AfterwordAPI.api(
                store: service.fixture.store, metrics: PrometheusRegistry())
            let routes = api.table.routes.filter { $0.method == .get }
            #expect(routes.count > 10)
            for route in routes {
                let id = route.access == .receipt ? try sent.string("id") : meeting.id
                let path = route.path
                    .replacing("/series/{id}", with: "/series/\(meeting.seriesID)")
                    .replacing("{id}", with: id).replacing("{code}", with: meeting.code)
                    .replacing("{key}", with: "better").replacing("{file}", with: "summary.csv")
                var client = service.admin
                if route.access == .receipt { client.authorization = "Receipt \(try sent.string("receipt"))" }
                for _ in 0..<2 {
                    let answer = try await client.get(path)
                    #expect(answer.status == 200, "\(path): \(answer.text)")
                    let head = try await client.send("HEAD", path)
                    #expect(head.status == 200 && head.body.isEmpty, "\(path)")
                    #expect(head["Content-Type"] == answer["Content-Type"], "\(path)")
                }
            }
            #expect(try await Self.checksum(service) == before)
        }
    }
}
