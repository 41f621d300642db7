import Contract
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct MeetingIdempotency {
    private static let body = #"{"title": "Once"}"#

    @Test func concurrentRequestsWithOneKeyCreateOneMeeting() async throws {
        try await TestService.run { service in
            let responses = try await withThrowingTaskGroup(of: HTTPTestClient.Response.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await service.host.post(
                            "/v1/meetings", json: Self.body, headers: ["Idempotency-Key": "k-1"])
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(responses.allSatisfy { $0.status == 201 })
            #expect(Set(responses.map(\.body)).count == 1)
            #expect(responses.count { $0["Idempotency-Replayed"] == "true" } == 19)
            #expect(try await service.host.get("/v1/meetings").decoded(as: MeetingList.self).items.count == 1)
        }
    }

    @Test func sameKeyWithAnotherBodyIsAConflict() async throws {
        try await TestService.run { service in
            let key = ["Idempotency-Key": "k-1"]
            try await service.host.post("/v1/meetings", json: Self.body, headers: key).expect(201)
            let other = try await service.host.post("/v1/meetings", json: #"{"title": "Twice"}"#, headers: key)
            #expect(other.status == 409 && other.problem == "idempotency-conflict")
            let foreign = try await service.other.post("/v1/meetings", json: Self.body, headers: key)
            #expect(foreign.status == 201 && foreign["Idempotency-Replayed"] == nil, "each account has its own keys")
        }
    }

    @Test func refusedRequestDoesNotUseUpItsKey() async throws {
        try await TestService.run { service in
            let key = ["Idempotency-Key": "k-1"]
            #expect(try await service.host.post("/v1/meetings", json: "{}", headers: key).status == 422)
            let times = #""startsAt": "2027-03-01T09:00:00Z", "endsAt": "2027-03-01T10:00:00Z", "timeZone": "UTC""#
            try await service.host.post("/v1/meetings", json: "{\"title\": \"A\", \(times)}").expect(201)
            let clash = try await service.host.post(
                "/v1/meetings", json: "{\"title\": \"B\", \(times)}", headers: key)
            #expect(clash.status == 409 && clash.problem == "meeting-overlap")
            #expect(try await service.host.post("/v1/meetings", json: Self.body, headers: key).status == 201)
        }
    }

    @Test(arguments: ["", "a b", "ü", String(repeating: "k", count: 256)])
    func invalidKeyIsRefused(key: String) async throws {
        try await TestService.run { service in
            let response = try await service.host.post(
                "/v1/meetings", json: Self.body, headers: ["Idempotency-Key": key])
            #expect(response.status == 400 && response.problem == "bad-request")
        }
    }
}
