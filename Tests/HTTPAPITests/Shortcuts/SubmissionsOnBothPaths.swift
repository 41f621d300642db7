import Contract
import Foundation
import TestSupport
import Testing

/// Submissions have the same effect through the shortcut and through the engine.
@Suite(.timeLimit(.minutes(15))) struct SubmissionsOnBothPaths {
    private static let key = "0123456789abcdef"
    /// A media type that makes a request bypass the shortcut and has no other effect.
    private static let bypass = ["Content-Type": "application/json; charset=utf-8"]

    private static func send(
        _ body: String, to meeting: TestMeeting, _ service: TestService, _ headers: [String: String] = [:]
    ) async throws -> HTTPTestClient.Response {
        try await service.anyone.post(meeting.submissionsPath, json: body, headers: headers)
    }

    @Test(arguments: [true, false]) func replaysAreRecognizedOnEitherPath(startsWithShortcut: Bool) async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let keyed = ["Idempotency-Key": Self.key]
            let variants = startsWithShortcut ? [[:], Self.bypass] : [Self.bypass, [:]]
            let body = #"{"answers": {"pace": 4}}"#
            let first = try await Self.send(body, to: meeting, service, keyed.merging(variants[0]) { $1 }).expect(201)
            let again = try await Self.send(body, to: meeting, service, keyed.merging(variants[1]) { $1 }).expect(201)
            #expect(again.body == first.body && again["Idempotency-Replayed"] == "true")
            #expect(first["Idempotency-Replayed"] == nil)
            for headers in variants {
                let other = try await Self.send(
                    #"{"answers": {"pace": 5}}"#, to: meeting, service, keyed.merging(headers) { $1 })
                #expect(other.status == 409 && other.problem == "idempotency-conflict")
            }
            #expect(try await meeting.results().decoded(as: Results.self).submissions == 1)
        }
    }

    @Test func deviceAnswersOnceOnEitherPath() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "device""#)
            let device = ["Authorization": "Respondent \(String(repeating: "k", count: 40))"]
            let body = #"{"answers": {"pace": 4}}"#
            try await Self.send(body, to: meeting, service, device).expect(201)
            for headers in [device, device.merging(Self.bypass) { $1 }] {
                let second = try await Self.send(body, to: meeting, service, headers)
                #expect(second.status == 409 && second.problem == "already-submitted")
            }
            for headers in [[:], Self.bypass, ["Authorization": "Bearer abc"]] {
                #expect(try await Self.send(body, to: meeting, service, headers).status == 401)
            }
        }
    }

    @Test(arguments: [
        #"{"answers": {"pace": 9}}"#, #"{"answers": {"nope": 1}}"#, #"{"answers": 1}"#, #"{}"#, "nonsense",
        #"{"answers": {}, "answers": {}}"#, #"{"answers": {}, "more": 1}"#, #"{"answers": {"pace": 3}, "version": 7}"#,
    ])
    func bothPathsRefuseWithTheSameProblem(body: String) async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            // This caches the form, so that later submissions can take the shortcut.
            try await Self.send(#"{"answers": {"pace": 3}}"#, to: meeting, service).expect(201)
            let (short, long) = (
                try await Self.send(body, to: meeting, service),
                try await Self.send(body, to: meeting, service, Self.bypass)
            )
            #expect(short.status == long.status && short.status >= 400)
            #expect(short.problem == long.problem && short.faults == long.faults)
        }
    }

    @Test func closedOrDeletedFormIsReportedOnBothPaths() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let body = #"{"answers": {"pace": 3}}"#
            try await Self.send(body, to: meeting, service).expect(201)
            try await meeting.perform("close").expect(200)
            for headers in [[:], Self.bypass] {
                let response = try await Self.send(body, to: meeting, service, headers)
                #expect(response.status == 409 && response.problem == "form-closed")
            }
            try await service.host.delete(meeting.path).expect(204)
            for headers in [[:], Self.bypass] {
                #expect(try await Self.send(body, to: meeting, service, headers).status == 404)
            }
        }
    }

    @Test func manySubmissionsOnBothPathsAreCountedExactly() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<400 {
                    group.addTask {
                        let body = #"{"answers": {"pace": \#(index % 5 + 1)}}"#
                        let headers = index % 3 == 0 ? Self.bypass : [:]
                        return try await Self.send(body, to: meeting, service, headers).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.allSatisfy { $0 == 201 })
            let results = try await meeting.results().decoded(as: Results.self)
            #expect(results.submissions == 400 && results.questions[0].answered == 400)
        }
    }
}
