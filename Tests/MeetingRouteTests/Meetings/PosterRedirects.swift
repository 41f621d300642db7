import Foundation
import HTTPAPI
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct PosterRedirects {
    private func code(of meeting: TestMeeting, _ service: TestService) async throws -> String {
        let series = try #require(UUID(uuidString: meeting.seriesID))
        let rows = try await service.fixture.store.pool.query("SELECT code FROM series WHERE id = \(series)")
        return try #require(rows.first).decode(String.self)
    }

    /// The times of a meeting as members of a JSON object. Start and end are in minutes from now.
    private func times(_ start: Double, _ end: Double) -> String {
        let instants = [start, end].map { Date(timeIntervalSinceNow: $0 * 60).ISO8601Format() }
        return "\"startsAt\": \"\(instants[0])\", \"endsAt\": \"\(instants[1])\", \"timeZone\": \"UTC\""
    }

    @Test func posterLeadsToTheCheckInAndThenToTheForm() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting(members: times(30, 90))
            let checkIn = try await service.host.get(meeting.path).expect(200).string("checkInCode")
            let poster = "/s/\(try await code(of: meeting, service))"
            let arrival = try await service.anyone.get(poster)
            #expect(arrival.status == 303)
            #expect(arrival["Location"] == "../c/\(checkIn)")
            #expect(arrival.json?["url"]?.string == "http://127.0.0.1:8080/c/\(checkIn)")
            #expect(arrival["Cache-Control"] == "no-store")
            try await meeting.perform("publish").expect(200)
            #expect(try await service.anyone.get(poster)["Location"] == "../f/\(meeting.code)")
        }
    }

    @Test func posterLeadsToTheCurrentRound() async throws {
        try await TestService.run { service in
            let first = try await service.openMeeting(members: times(-300, -240))
            let second = try TestMeeting(
                created: await service.host.post(
                    "/v1/series/\(first.seriesID)/meetings", json: "{\(times(300, 360))}"),
                host: service.host, anyone: service.anyone)
            let poster = "/s/\(try await code(of: first, service))"
            #expect(try await service.anyone.get(poster)["Location"] == "../f/\(first.code)")
            try await first.perform("close").expect(200)
            #expect(try await service.anyone.get(poster)["Location"] == "../f/\(second.code)")
            try await service.host.delete(second.path).expect(204)
            #expect(try await service.anyone.get(poster)["Location"] == "../f/\(first.code)")
            try await service.host.delete(first.path).expect(204)
            #expect(try await service.anyone.get(poster).status == 404)
        }
    }

    @Test(arguments: ["0000000000000", "x", "%00", "'; DROP TABLE series", "0000000000000%2f.."])
    func unknownCodeIsNotFound(code: String) async throws {
        try await TestService.run { service in
            let response = try await service.anyone.get("/s/" + code.replacing(" ", with: "%20"))
            #expect(response.status == 404)
        }
    }

    @Test func guessesAreLimitedButValidCodesAreNot() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let poster = "/s/\(try await code(of: meeting, service))"
            var statuses: [Int] = []
            for _ in 0..<110 { statuses.append(try await service.anyone.get("/s/0000000000000").status) }
            #expect(statuses.first == 404 && statuses.last == 429)
            for _ in 0..<50 { #expect(try await service.anyone.get(poster).status == 303) }
        }
    }
}
