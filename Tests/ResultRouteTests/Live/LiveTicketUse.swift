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

@Suite(.timeLimit(.minutes(15))) struct LiveTicketUse {
    private static func ticket(_ client: HTTPTestClient) async throws -> String {
        try await client.post("/v1/live-tickets").expect(201).decoded(as: Contract.LiveTicket.self).ticket
    }

    @Test func ticketOpensBothStreamsOnEveryInstanceAndNothingElse() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let created = try await service.host.post("/v1/live-tickets", json: "{}").expect(201)
            let body = try created.decoded(as: Contract.LiveTicket.self)
            #expect((50...61).contains(body.expiresAt.timeIntervalSinceNow))
            let query = "?ticket=\(body.ticket)"
            let store = try await service.fixture.secondStore()
            try await TestService.serve(store) { second in
                for client in [service.anyone, second] {
                    for path in [meeting.livePath, "/v1/live"] {
                        // A ticket can be used repeatedly within its minute, because a browser reconnects automatically.
                        for _ in 0..<2 { _ = try await client.get(path + query).expect(200) }
                    }
                }
            }
            await store.close()
            for path in ["/v1/meetings", meeting.path, "\(meeting.path)/results", "/v1/me"] {
                #expect(try await service.anyone.get(path + query).status == 401, "\(path)")
                let bearing = service.anyone.bearing(body.ticket)
                #expect(try await bearing.get(path).status == 401, "\(path)")
            }
            #expect(try await service.anyone.get("\(meeting.formPath)/live\(query)").status == 422)
            let other = try await Self.ticket(service.other)
            #expect(try await service.anyone.get("\(meeting.livePath)?ticket=\(other)").status == 404)
        }
    }

    @Test func invalidTicketsAreRefusedWithAReadableError() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let valid = try await Self.ticket(service.host)
            var refused = ["", "x", "at_", "at_" + String(repeating: "A", count: 43), "%00", valid + "x"]
            refused.append(String(repeating: "at_", count: 2_000))
            for ticket in refused {
                let response = try await service.anyone.get("\(meeting.livePath)?ticket=\(ticket)")
                #expect(response.status == 401 && response.problem == "unauthorized", "\(ticket): \(response.text)")
                #expect(response["Access-Control-Allow-Origin"] == "*")
            }
            // A ticket does not override the header `Authorization`.
            let both = try await service.anyone.bearing("aw_x").get("\(meeting.livePath)?ticket=\(valid)")
            #expect(both.status == 401)
            try await service.sql("UPDATE live_ticket SET expires_at = now() - interval '1 second'")
            #expect(try await service.anyone.get("\(meeting.livePath)?ticket=\(valid)").status == 401)
            #expect(try await service.host.post("/v1/live-tickets", json: #"{"a": 1}"#).status == 400)
            #expect(try await service.host.post("/v1/live-tickets", json: "[").status == 400)
            #expect(try await service.anyone.post("/v1/live-tickets").status == 401)
            try await service.fixture.store.sweep()
            let remaining = try await service.fixture.store.pool.query("SELECT FROM live_ticket")
            #expect(remaining.isEmpty)
        }
    }

    @Test func ticketHasTheRightsOfItsTokenAndEndsWithIt() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let body = #"{"name": "A", "scopes": ["meetings:read"], "expiresAt": "\#(RFC3339.format(.now + 86_400))"}"#
            let token = try await service.host.post("/v1/tokens", json: body).expect(201)
            let ticket = try await Self.ticket(service.anyone.bearing(token.string("token")))
            #expect(try await service.anyone.get("/v1/live?ticket=\(ticket)").status == 200)
            let lacking = try await service.anyone.get("\(meeting.livePath)?ticket=\(ticket)")
            #expect(lacking.status == 403 && lacking["Access-Control-Allow-Origin"] == "*")
            try await service.host.delete("/v1/tokens/\(try token.string("id"))").expect(204)
            #expect(try await service.anyone.get("/v1/live?ticket=\(ticket)").status == 401)
        }
    }

    @Test func ticketsOfAnAccountAreLimited() async throws {
        try await TestService.run { service in
            for _ in 0..<100 { _ = try await Self.ticket(service.host) }
            let over = try await service.host.post("/v1/live-tickets")
            #expect(over.status == 429 && over["Retry-After"] == "60")
            _ = try await Self.ticket(service.other)
            try await service.sql("UPDATE live_ticket SET expires_at = now() - interval '1 second'")
            _ = try await Self.ticket(service.host)
        }
    }

    @Test func logsContainNoTicketShareOrCode() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "always""#)
            let ticket = try await Self.ticket(service.host)
            let share = try await service.share(of: meeting)
            let tape = LogTape()
            let api = try AfterwordAPI.api(store: service.fixture.store, metrics: PrometheusRegistry())
            try await LiveServer.run(api, logger: tape.logger(.trace)) { client, _ in
                _ = try await client.get("\(meeting.livePath)?ticket=\(ticket)").expect(200)
                _ = try await client.get("/v1/live?ticket=\(ticket)&ticket=\(ticket)").expect(422)
                _ = try await client.get("\(meeting.livePath)?ticket=\(ticket)x").expect(401)
                _ = try await client.get("/v1/shares/\(share)/live").expect(200)
                _ = try await client.get("\(meeting.formPath)/live").expect(200)
                let metrics = try await client.get("/metrics").expect(200).text
                #expect(!metrics.contains(ticket) && !metrics.contains(share) && !metrics.contains(meeting.code))
            }
            #expect(!tape.lines.isEmpty)
            for line in tape.lines {
                #expect(!line.contains(ticket) && !line.contains(share) && !line.contains(meeting.code), "\(line)")
            }
        }
    }
}
