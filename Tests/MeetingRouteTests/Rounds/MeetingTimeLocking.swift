import Foundation
import Postgres
import Store
import TestSupport
import Testing

/// Every action that sets the times of a host's meetings takes one lock per host. Without it, two concurrent actions
/// would wait for each other in PostgreSQL, and again after each retry.
struct MeetingTimeLocking {
    private typealias Action = @Sendable (TestService, TestMeeting) async throws -> Int

    private static let times =
        #""startsAt": "2027-03-01T09:00:00Z", "endsAt": "2027-03-01T10:00:00Z", "timeZone": "UTC""#
    private static let later =
        #""startsAt": "2027-03-02T09:00:00Z", "endsAt": "2027-03-02T10:00:00Z", "timeZone": "UTC""#

    private static let actions: [(name: String, status: Int, action: Action)] = [
        (
            "a new meeting", 201,
            { service, _ in
                try await service.host.post("/v1/meetings", json: "{\"title\": \"B\", \(later)}").status
            }
        ),
        (
            "a new round", 201,
            { service, meeting in
                try await service.host.post("/v1/series/\(meeting.seriesID)/meetings", json: "{\(later)}").status
            }
        ),
        (
            "changed times", 200,
            { service, meeting in
                let tag = try await service.host.get(meeting.path)["ETag"] ?? ""
                return try await service.host.send(
                    "PATCH", meeting.path, body: Array("{\(later)}".utf8), headers: ["If-Match": tag]
                ).status
            }
        ),
        (
            "a restored meeting", 200,
            { service, meeting in
                try await service.host.delete(meeting.path).expect(204)
                return try await service.host.post("\(meeting.path)/restore").status
            }
        ),
        (
            "a restored series", 200,
            { service, meeting in
                try await service.host.delete("/v1/series/\(meeting.seriesID)").expect(204)
                return try await service.host.post("/v1/series/\(meeting.seriesID)/restore").status
            }
        ),
    ]

    @Test(arguments: actions.indices) func onlyOneActionAtATimeSetsTheTimesOfAHostsMeetings(index: Int) async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting(members: Self.times)
            try await Self.expectWait(service, for: service.fixture.host.account.id, Self.actions[index], meeting)
        }
    }

    @Test func transferWaitsForTheNewOwnersLock() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting(members: Self.times)
            let newOwner = try await service.fixture.store.pool.query(
                "SELECT id FROM account WHERE email = 'other@example.org'")[0].decode(UUID.self)
            let transfer: Action = { service, meeting in
                try await service.host.post(
                    "/v1/series/\(meeting.seriesID)/transfer", json: #"{"email": "other@example.org"}"#
                ).status
            }
            try await Self.expectWait(service, for: newOwner, ("a transferred series", 200, transfer), meeting)
        }
    }

    /// Twenty groups of concurrent requests. Without the lock, about one group in ninety blocked until its requests
    /// timed out.
    @Test func concurrentRequestsForOverlappingMeetingsDoNotDeadlock() async throws {
        try await TestService.run { service in
            for day in 10..<30 {
                let body = """
                    {"title": "A", "startsAt": "2027-03-\(day)T09:00:00Z", "endsAt": "2027-03-\(day)T10:00:00Z", "timeZone": "UTC"}
                    """
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<20 {
                        group.addTask { try await service.host.post("/v1/meetings", json: body).status }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.sorted() == [201] + [Int](repeating: 409, count: 19))
            }
        }
    }

    /// Expects that the action waits for the lock of the host and succeeds after the lock is released.
    private static func expectWait(
        _ service: TestService, for hostID: UUID, _ action: (name: String, status: Int, action: Action),
        _ meeting: TestMeeting
    ) async throws {
        let status = try await service.fixture.store.pool.transaction { connection in
            try await connection.query(
                "SELECT pg_advisory_xact_lock(hashtextextended('meeting ' || \(hostID.uuidString.lowercased()), 0))")
            let waiting = Task { try await action.action(service, meeting) }
            try await service.fixture.database.waitUntil(
                statementLike: "SELECT pg_advisory_xact_lock(hashtextextended('meeting%", waitsFor: "advisory")
            return waiting
        }.value
        #expect(status == action.status, "\(action.name)")
    }
}
