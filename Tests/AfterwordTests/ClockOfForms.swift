import Foundation
import StrictJSON
import TestSupport
import Testing

/// The clock of a running service.
@Suite(.timeLimit(.minutes(5))) struct ClockOfForms {
    @Test func aDraftPublishesItselfAndWhatWasDueMeanwhileIsDoneAtTheNextStart() async throws {
        let folder = try TemporaryFolder()
        let data = folder / "data"
        let first = try await RunningService(["--data", data])
        let client = try await first.admin(in: data)
        func draft(_ start: Date) async throws -> String {
            let end = start.addingTimeInterval(3600)
            let made = try await client.post(
                "/v1/meetings",
                json: """
                    {"title": "Retro", "startsAt": "\(RFC3339.format(start))", "endsAt": "\(RFC3339.format(end))",
                     "timeZone": "UTC", "allowOverlap": true}
                    """
            ).expect(201)
            let id = try made.string("id")
            let form = #"{"autoPublish": true, "questions": [{"key": "a", "kind": "text", "title": "A"}]}"#
            try await client.put("/v1/meetings/\(id)/form", json: form, headers: ["If-Match": "*"]).expect(200)
            return id
        }
        func isOpened(_ id: String, by client: HTTPTestClient) async throws -> Bool {
            let deadline = ContinuousClock.now + .seconds(30)
            while .now < deadline {
                if try await client.get("/v1/meetings/\(id)/form").string("state") == "open" { return true }
                try await Task.sleep(for: .milliseconds(50))
            }
            return false
        }
        let soon = try await draft(Date(timeIntervalSinceNow: 2))
        #expect(try await isOpened(soon, by: client))
        let start = Date(timeIntervalSinceNow: 5)
        let later = try await draft(start)
        let stopping = ContinuousClock.now
        #expect(await first.stop() == 0)
        #expect(ContinuousClock.now - stopping < .seconds(10), "a pause ends with the service")
        try await Task.sleep(for: .seconds(max(0, start.timeIntervalSinceNow)))
        try await RunningService(["--data", data]).using { second async throws in
            let client = HTTPTestClient(port: second.port, authorization: client.authorization)
            #expect(try await isOpened(later, by: client))
        }
    }
}
