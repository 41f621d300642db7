import HTTPAPI
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct MetricsPrivacy {
    @Test func metricsContainNoCodeIdOrAddress() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let sent = try await meeting.submit(#"{"pace": 3}"#).expect(201)
            let id = try sent.string("id")
            let proof = ["Authorization": "Receipt \(try sent.string("receipt"))"]
            _ = try await service.anyone.get(meeting.formPath)
            _ = try await service.anyone.get("\(meeting.submissionsPath)/\(id)", headers: proof)
            _ = try await meeting.results()
            _ = try await service.anyone.get("/nowhere/\(meeting.code)")
            _ = try await service.anyone.send("PATCH", meeting.path)
            let metrics = try await service.anyone.get("/metrics").expect(200).text
            #expect(metrics.contains("/v1/forms/{code}/submissions"))
            for hidden in [meeting.code, meeting.id, meeting.seriesID, id, "example.org", "127.0.0.1"] {
                #expect(!metrics.contains(hidden), "\(hidden)")
            }
        }
    }
}
