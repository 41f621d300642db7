import HTTPAPI
import HTTPServer
import NIOCore
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// Viewers who read nothing, send only part of a request or have disconnected.
@Suite(.timeLimit(.minutes(15))) struct LiveBounds {
    /// Questions whose results are about fifty kilobytes long.
    private static let largeForm = {
        let options = (0..<50).map { "{\"id\": \"o\($0)\", \"label\": \"Option number \($0)\"}" }.joined(
            separator: ", ")
        let questions = (0..<8).map { number in
            "{\"key\": \"q\(number)\", \"kind\": \"choice\", \"title\": \"Which?\", \"options\": [\(options)]}"
        }
        return "[\(questions.joined(separator: ", "))]"
    }()

    private static func serve(
        _ service: TestService, _ limits: ConnectionLimits,
        _ body: @Sendable (HTTPTestClient, PrometheusRegistry) async throws -> Void
    ) async throws {
        let registry = PrometheusRegistry()
        let api = try AfterwordAPI.api(store: service.fixture.store, metrics: registry, limits: limits)
        try await LiveServer.run(api) { client, _ in
            var client = client
            client.authorization = service.host.authorization
            try await body(client, registry)
        }
    }

    /// Submits in parallel and returns the median duration.
    private static func submit(_ count: Int, to meeting: TestMeeting) async throws -> Duration {
        let times = try await withThrowingTaskGroup(of: [Duration].self) { group in
            for sender in 0..<16 {
                group.addTask {
                    var times: [Duration] = []
                    for number in 0..<(count / 16) {
                        let start = ContinuousClock.now
                        try await meeting.submit("{\"q\(sender % 8)\": \"o\(number % 50)\"}").expect(201)
                        times.append(.now - start)
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }.sorted()
        }
        return times[times.count / 2]
    }

    private static func wait(viewers expected: ClosedRange<Int>, _ client: HTTPTestClient) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            let text = try await client.get("/metrics").expect(200).text
            let count = try #require(text.firstMatch(of: /\nlive_viewers (\d+)\n/).flatMap { Int($0.output.1) })
            if expected.contains(count) { return true }
            guard .now < deadline else { return false }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test func stalledViewerIsDisconnectedAndDelaysNobody() async throws {
        try await TestService.run { service in
            let alone = try await Self.submit(400, to: service.openMeeting(Self.largeForm))
            let meeting = try await service.openMeeting(Self.largeForm)
            var limits = ConnectionLimits()
            limits.stallTimeout = .seconds(1)
            try await Self.serve(service, limits) { client, _ in
                let head =
                    "GET \(meeting.livePath) HTTP/1.1\r\nHost: x\r\nAuthorization: \(client.authorization ?? "")\r\n\r\n"
                let viewer = meeting.watch(client, keepsAll: false)
                #expect(try await viewer.wait { $0.submissions == 0 })
                let silent = try await SilentConnections(10, port: client.port, sending: head)
                #expect(try await Self.wait(viewers: 11...11, client))
                let during = try await Self.submit(2_000, to: meeting)
                // The factor allows for other suites that run at the same time.
                #expect(during < alone * 20 + .milliseconds(200), "\(alone) alone, \(during) with silent viewers")
                #expect(try await viewer.wait { $0.submissions == 2_000 })
                // The viewers who read nothing are disconnected. The one who reads remains.
                var number = 0
                while try await client.get("/metrics").expect(200).text.contains("\nlive_viewers 1\n") == false {
                    number += 1
                    guard number < 200 else { throw TestStore.Missing("the end of silent viewers") }
                    try await meeting.submit(#"{"q0": "o1"}"#).expect(201)
                    try await Task.sleep(for: .milliseconds(100))
                }
                #expect(!viewer.isOver)
                #expect(viewer.last?.data.utf8.count ?? 0 > 30_000)
                await viewer.leave()
                await silent.close()
            }
        }
    }

    /// The benchmark `viewers` opens 10,000 streams. Here, both ends share the limit on open files of one process.
    @Test func manySilentConnectionsExcludeNoOtherClient() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            var limits = ConnectionLimits()
            limits.idleTimeout = .seconds(5)
            try await Self.serve(service, limits) { client, _ in
                let token = client.authorization ?? ""
                let request = "GET \(meeting.livePath) HTTP/1.1\r\nHost: x\r\nAuthorization: \(token)\r\n"
                let open = try await SilentConnections(500, port: client.port, sending: request + "\r\n")
                let half = try await SilentConnections(1_000, port: client.port, sending: request + "X-Half")
                let disconnected = try await SilentConnections(500, port: client.port, sending: request + "\r\n")
                await disconnected.close()
                let viewer = meeting.watch(client)
                #expect(try await viewer.wait { $0.submissions == 0 })
                for number in 1...20 {
                    try await meeting.submit(#"{"pace": 4}"#).expect(201)
                    #expect(try await client.get("\(meeting.path)/results").status == 200)
                    #expect(try await viewer.wait { $0.submissions == number })
                }
                // Disconnected viewers are no longer counted. Silent ones may stay, because they cost little. On a slow
                // machine, some have been disconnected by now.
                #expect(try await Self.wait(viewers: 1...501, client))
                await viewer.leave()
                await open.close()
                await half.close()
                #expect(try await Self.wait(viewers: 0...0, client))
            }
        }
    }
}
