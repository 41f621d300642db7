import Foundation
import TestSupport
import Testing

@testable import afterword

/// The health port of a `serve` that is busy with submissions.
@Suite(.serialized, .timeLimit(.minutes(5))) struct HealthUnderLoad {
    /// Each client waits for its response, so there are as many requests at once as there are clients.
    private static let clients = 1_500

    @Test func probesDoNotWaitForTheRequestsOfManyClients() async throws {
        try OpenFiles.raiseLimit()
        let folder = try TemporaryFolder()
        let health = try #require(try PortReservation(host: "127.0.0.1"))
        let arguments = [
            "--data", folder / "data", "--health-port", "\(health.port)", "--connections-per-address", "0",
        ]
        try await RunningService(arguments).using { service in
            let (code, _) = try await service.openForm(by: service.admin(in: folder / "data"))
            let body = #"{"answers": {"pace": 4}}"#
            let crowd = try await RepeatingClients(
                Self.clients, port: service.port,
                sending: """
                    POST /v1/forms/\(code)/submissions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r
                    Content-Length: \(body.utf8.count)\r\n\r\n\(body)
                    """, status: 201)
            try await eventually("every client is busy") { crowd.answered > Self.clients }
            async let livez = BlockingProbe.times(of: "/livez", port: health.port, for: .seconds(4))
            async let readyz = BlockingProbe.times(of: "/readyz", port: health.port, for: .seconds(4))
            let (answered, start) = (crowd.answered, ContinuousClock.now)
            let (live, ready) = try await (livez, readyz)
            let rate = Double(crowd.answered - answered) / ((.now - start) / .seconds(1))
            for (name, times) in [("livez", live), ("readyz", ready)] {
                #expect(times.count > 10 && times.median < .milliseconds(100), "/\(name): \(times.median)")
            }
            #expect(rate > 0 && crowd.refused == 0, "\(rate) submissions/s, \(crowd.refused) refused")
            try await crowd.close()
            #expect(service.isRunning)
        }
        withExtendedLifetime(health) {}
    }
}
