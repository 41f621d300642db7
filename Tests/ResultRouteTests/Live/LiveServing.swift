import HTTPAPI
import HTTPServer
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// How a server limits and ends its event streams.
@Suite(.timeLimit(.minutes(15))) struct LiveServing {
    private static func viewers(_ service: TestService) async throws -> Int? {
        let line = try await service.anyone.get("/metrics").expect(200).text.split(separator: "\n")
            .first { $0.hasPrefix("live_viewers ") }
        return line.flatMap { Int($0.dropFirst("live_viewers ".count)) }
    }

    private static func wait(_ service: TestService, viewers count: Int) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        while try await viewers(service) != count {
            guard .now < deadline else { return false }
            try await Task.sleep(for: .milliseconds(10))
        }
        return true
    }

    @Test func fullInstanceRefusesViewersUntilAPlaceIsFree() async throws {
        try await TestService.run(options: ServiceOptions(maxViewers: 2)) { service in
            let meeting = try await service.openMeeting()
            let (one, two) = (meeting.watch(), LiveTestViewer(service.host, "/v1/live"))
            for viewer in [one, two] { #expect(try await viewer.wait { !$0.events.isEmpty }) }
            #expect(try await Self.viewers(service) == 2)
            let full = try await service.host.get(meeting.livePath)
            #expect(full.status == 503 && full.problem == "overloaded" && full["Retry-After"] == "5")
            #expect(full["Access-Control-Allow-Origin"] == "*")
            // Callers without access still get 404, and other requests are served.
            #expect(try await service.other.get(meeting.livePath).status == 404)
            try await meeting.submit(#"{"pace": 3}"#).expect(201)
            await one.leave()
            #expect(try await Self.wait(service, viewers: 1))
            let three = meeting.watch()
            #expect(try await three.wait { $0.submissions == 1 })
            await two.leave()
            await three.leave()
            #expect(try await Self.wait(service, viewers: 0))
        }
    }

    @Test func oneAddressLeavesStreamsForOthers() async throws {
        let options = ServiceOptions(trustedProxies: 1, maxViewers: 20, maxViewersPerAddress: 2)
        try await TestService.run(options: options) { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "always""#)
            let path = "\(meeting.formPath)/live"
            let (hall, other) = (["X-Forwarded-For": "192.0.2.1"], ["X-Forwarded-For": "192.0.2.2"])
            var viewers = (0..<2).map { _ in LiveTestViewer(service.anyone, path, headers: hall) }
            for viewer in viewers { #expect(try await viewer.wait { !$0.events.isEmpty }) }
            let refused = try await service.anyone.get(path, headers: hall)
            #expect(refused.status == 503 && refused.problem == "overloaded" && refused["Retry-After"] == "5")
            #expect(refused.text.contains("Too many streams of your network address are open"), "\(refused.text)")
            // The host in the same hall, and a participant elsewhere.
            viewers.append(LiveTestViewer(service.host, meeting.livePath, headers: hall))
            viewers.append(LiveTestViewer(service.anyone, path, headers: other))
            for viewer in viewers { #expect(try await viewer.wait { !$0.events.isEmpty }) }
            #expect(try await service.host.get(meeting.livePath, headers: hall).status == 503)
            for viewer in viewers { await viewer.leave() }
            #expect(try await Self.wait(service, viewers: 0))
            let next = LiveTestViewer(service.anyone, path, headers: hall)
            #expect(try await next.wait { !$0.events.isEmpty })
            await next.leave()
        }
    }

    @Test func headHasTheHeadersAndTakesNoPlace() async throws {
        try await TestService.run(options: ServiceOptions(maxViewers: 1)) { service in
            let meeting = try await service.openMeeting()
            for _ in 0..<5 {
                let head = try await service.host.send("HEAD", meeting.livePath).expect(200)
                #expect(head["Content-Type"] == "text/event-stream; charset=utf-8")
                #expect(head["X-Accel-Buffering"] == "no")
                #expect(head["Access-Control-Allow-Origin"] == "*" && head.body.isEmpty)
            }
            #expect(try await Self.wait(service, viewers: 0))
            #expect(try await service.host.post(meeting.livePath).status == 405)
            let plain = ["Accept": "application/json"]
            #expect(try await service.host.get(meeting.livePath, headers: plain).status == 406)
        }
    }

    @Test func gracefulStopEndsAllStreamsAtOnce() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let api = try AfterwordAPI.api(store: service.fixture.store, metrics: PrometheusRegistry())
            let stopped = try await LiveServer.run(api) { client, stop -> ContinuousClock.Instant in
                let host = client.bearing(
                    try await TestService.token(of: service.fixture.host, in: service.fixture.store))
                let viewers = (0..<20).map { _ in LiveTestViewer(host, meeting.livePath) }
                let list = LiveTestViewer(host, "/v1/live")
                for viewer in viewers + [list] { #expect(try await viewer.wait { !$0.events.isEmpty }) }
                let stopped = ContinuousClock.now
                await stop()
                for viewer in viewers + [list] {
                    #expect(try await viewer.wait(.seconds(10)) { $0.isOver })
                    #expect(
                        viewer.last?.name != "end", "without the event `end`, a browser reconnects to another instance")
                }
                return stopped
            }
            // The server does not wait for anything else.
            #expect(ContinuousClock.now - stopped < .seconds(8))
        }
    }

    /// The first viewer starts the background work, the disconnection of the last one stops it, and the next viewer
    /// restarts it.
    @Test func backgroundWorkRunsWhileThereAreViewers() async throws {
        try await TestService.run { service in
            // The service's own role may not see the activity of others.
            let maintenance = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            func listeners() async throws -> Int {
                let rows = try await maintenance.query(
                    """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND query LIKE 'LISTEN%'
                    """)
                return try rows.first?.decode(Int.self) ?? 0
            }
            func wait(_ count: Int) async throws -> Bool {
                let deadline = ContinuousClock.now + .seconds(20)
                while try await listeners() != count {
                    guard .now < deadline else { return false }
                    try await Task.sleep(for: .milliseconds(20))
                }
                return true
            }
            let meeting = try await service.openMeeting()
            #expect(try await listeners() == 0)
            for round in 1...2 {
                let viewer = meeting.watch()
                #expect(try await viewer.wait { $0.submissions == round - 1 })
                #expect(try await wait(1))
                try await meeting.submit(#"{"pace": 3}"#).expect(201)
                #expect(try await viewer.wait { $0.submissions == round })
                await viewer.leave()
                #expect(try await wait(0))
            }
            await maintenance.close()
        }
    }
}
