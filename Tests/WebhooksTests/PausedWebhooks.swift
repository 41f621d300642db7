import Foundation
import Store
import StrictJSON
import TestSupport
import Testing

@testable import Webhooks

/// A paused webhook gets nothing.
@Suite(.timeLimit(.minutes(15))) struct PausedWebhooks {
    private static func setPaused(
        _ isPaused: Bool, _ hook: TestHook, in service: TestService
    ) async throws -> JSONValue? {
        try await service.patch(hook.path, "{\"paused\": \(isPaused)}").expect(200).json
    }

    @Test func eventsDuringThePauseAreNeverSent() async throws {
        try await TestHook.run { service in
            try await TestReceiver.run { receiver in
                let hook = try await TestHook.make(receiver.url(), [.meetingCreated], in: service)
                let other = try await TestHook.make(receiver.url(), [.meetingCreated], in: service)
                _ = try await service.meeting()
                #expect(try await hook.log().count == 1)
                #expect(try await Self.setPaused(true, hook, in: service)?["pausedAt"]?.string != nil)
                let again = try await Self.setPaused(true, hook, in: service)
                _ = try await service.meeting()
                try await TestHook.deliverAll(service.fixture.store)
                let waiting = try await hook.log()
                #expect(waiting.map { $0["status"]?.string } == ["waiting"], "what waited is kept and not tried")
                #expect(waiting[0]["tries"] == .number("0"))
                #expect(try await other.log().count { $0["status"]?.string == "delivered" } == 2)

                try await service.host.post("\(hook.path)/test").expect(202)
                try await TestHook.deliverAll(service.fixture.store)
                #expect(try await hook.log().allSatisfy { $0["status"]?.string == "waiting" })
                let resumed = try await Self.setPaused(false, hook, in: service)
                #expect(resumed?["pausedAt"] == .null && again?["pausedAt"] != .null)
                try await TestHook.deliverAll(service.fixture.store)
                let log = try await hook.log()
                let states = log.map { $0["status"]?.string }
                #expect(states == ["delivered", "delivered"], "the second meeting is not sent")
                let trail = try await service.auditTrail(of: "webhook.pause")
                #expect(trail.count == 1, "repeating a pause changes nothing")
                #expect(try await service.auditTrail(of: "webhook.resume").count == 1)
            }
        }
    }

    @Test func onlyTheOwnerPausesAndBadBodiesAreRefused() async throws {
        try await TestHook.run { service in
            let hook = try await TestHook.make("http://127.0.0.1:9/", in: service)
            try await service.patch(hook.path, #"{"paused": true}"#, by: service.other).expect(404)
            for body in ["{}", #"{"paused": null}"#] {
                try await service.patch(hook.path, body).expect(422)
            }
            for body in [#"{"paused": 1}"#, #"{"paused": true, "url": "x"}"#] {
                try await service.patch(hook.path, body).expect(400)
            }
            #expect(try await service.host.get(hook.path).expect(200).json?["pausedAt"] == .null)
        }
    }

    @Test func formsWithOnlyAPausedWebhookPublishNoResults() async throws {
        try await TestHook.run { service in
            let hook = try await TestHook.make("http://127.0.0.1:9/", [.resultsChanged], in: service)
            let meeting = try await service.openMeeting()
            _ = try await Self.setPaused(true, hook, in: service)
            try await meeting.submit(#"{"pace": 4}"#).expect(201)
            let events = service.fixture.store.resultEvents(interval: 0)
            #expect(try await events.pending().isEmpty)
            _ = try await Self.setPaused(false, hook, in: service)
            #expect(try await events.pending().count == 1, "the state is reported once the webhook is resumed")
        }
    }
}
