import Foundation
import TestSupport
import Testing

/// Clients that send most of a large body, and then nothing.
@Suite(.timeLimit(.minutes(3))) struct HalfSentBodies {
    @Test func memoryIsBoundedAndFreed() async throws {
        try OpenFiles.raiseLimit()
        let folder = try TemporaryFolder()
        try await RunningService(["--data", folder / "data"]).using { service in
            let (code, _) = try await service.openForm(by: service.admin(in: folder / "data"))
            let before = try Self.privateMegabytes(of: service)
            // Half a gigabyte in total.
            let head =
                "POST /v1/forms/\(code)/submissions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                + "Content-Length: 262144\r\n\r\n"
            let clients = try await SilentConnections(
                2_000, port: service.port, sending: head + String(repeating: " ", count: 250_000))
            let during = try Self.privateMegabytes(of: service)
            #expect(
                during - before < 320,
                "at most 96 MiB of bodies are held for one address, in buffers up to twice as large")
            let path = "/v1/forms/\(code)/submissions"
            try await service.client.post(path, json: #"{"answers": {"pace": 4}}"#).expect(201)
            await clients.close()
            try await eventually("the memory is freed") { try Self.privateMegabytes(of: service) - before < 64 }
        }
    }

    private static func privateMegabytes(of service: RunningService) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(service.pid)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
        return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) }) / 1024
    }
}
