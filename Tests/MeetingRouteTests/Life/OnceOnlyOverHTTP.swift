import Foundation
import Store
import StrictJSON
import TestSupport
import Testing

/// Two hundred concurrent requests to two instances, each request with its own `Idempotency-Key`.
@Suite(.timeLimit(.minutes(15))) struct OnceOnlyOverHTTP {
    private static func device(_ number: Int) -> String { "device-\(number)-" + String(repeating: "k", count: 32) }

    /// Sends one submission for each respondent at the same time and counts the outcomes, such as `201` or `409
    /// form-full`.
    private static func race(
        _ meeting: TestMeeting, _ clients: [HTTPTestClient], _ respondents: [String]
    ) async throws -> [String: Int] {
        try await withThrowingTaskGroup(of: String.self) { group in
            for (number, respondent) in respondents.enumerated() {
                group.addTask {
                    let response = try await clients[number % clients.count].post(
                        meeting.submissionsPath, json: #"{"answers": {"pace": 4}}"#,
                        headers: [
                            "Authorization": "Respondent \(respondent)", "Idempotency-Key": "key-of-attempt-\(number)",
                        ])
                    return response.status == 201 ? "201" : "\(response.status) \(response.problem ?? "")"
                }
            }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    /// Runs `body` with clients of two instances on one database.
    private static func withTwoInstances(
        _ service: TestService, _ body: ([HTTPTestClient]) async throws -> Void
    ) async throws {
        let second = try await service.fixture.secondStore()
        do {
            try await TestService.serve(second) { try await body([service.anyone, $0]) }
        } catch {
            await second.close()
            throw error
        }
        await second.close()
    }

    /// Adds `count` people to the attendee list of a meeting, and returns the tokens of their personal links.
    private static func addAttendees(to meeting: TestMeeting, count: Int) async throws -> [String] {
        try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<count {
                group.addTask {
                    let id = try await meeting.add("Guest \(number)", "g\(number)@example.org").expect(201).string("id")
                    return try await meeting.host.post("\(meeting.attendeesPath)/\(id)/link").expect(200).string(
                        "token")
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private static func submissions(_ meeting: TestMeeting) async throws -> Int? {
        try await meeting.results().expect(200).json?["submissions"]?.int
    }

    @Test func deviceAnswersOnce() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "device""#)
            try await Self.withTwoInstances(service) { clients in
                let outcome = try await Self.race(meeting, clients, Array(repeating: Self.device(1), count: 200))
                #expect(outcome == ["201": 1, "409 already-submitted": 199])
            }
            #expect(try await Self.submissions(meeting) == 1)
        }
    }

    @Test func attendeeAnswersOnce() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "attendee""#)
            let link = try await Self.addAttendees(to: meeting, count: 1)[0]
            try await Self.withTwoInstances(service) { clients in
                let outcome = try await Self.race(meeting, clients, Array(repeating: link, count: 200))
                #expect(outcome == ["201": 1, "409 already-submitted": 199])
            }
            #expect(try await Self.submissions(meeting) == 1)
        }
    }

    @Test func capAcceptsAHundredOfTwoHundredDevices() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "device", "cap": 100"#)
            try await Self.withTwoInstances(service) { clients in
                let outcome = try await Self.race(meeting, clients, (0..<200).map(Self.device))
                #expect(outcome == ["201": 100, "409 form-full": 100])
            }
            #expect(try await Self.submissions(meeting) == 100)
        }
    }

    @Test func capAcceptsAHundredOfTwoHundredAttendees() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "attendee", "cap": 100"#)
            let links = try await Self.addAttendees(to: meeting, count: 200)
            try await Self.withTwoInstances(service) { clients in
                let outcome = try await Self.race(meeting, clients, links)
                #expect(outcome == ["201": 100, "409 form-full": 100])
            }
            #expect(try await Self.submissions(meeting) == 100)
        }
    }
}
