import Foundation
import Synchronization
import TestSupport
import Testing

@testable import afterword

/// A `serve` that reaches its limit of open files.
@Suite(.serialized, .timeLimit(.minutes(5))) struct OpenFileLimits {
    /// No client address has a limit of its own, because all clients of a test have the same address.
    private static let unlimitedAddress = ["--connections-per-address", "0", "--viewers-per-address", "0"]

    /// There are more connections than the service has descriptors. They send nothing, half a head, a head byte by
    /// byte, or half a body. They stay longer than the timeouts, so the service has to close them.
    @Test(arguments: [256, 1_024]) func slowConnectionsOverTheLimitDoNotDisturbClients(
        files: Int
    ) async throws {
        try OpenFiles.raiseLimit()
        let folder = try TemporaryFolder()
        let arguments = ["--data", folder / "data"] + Self.unlimitedAddress
        try await RunningService(arguments, openFiles: files).using { service in
            let admin = try await service.admin(in: folder / "data")
            let (code, meeting) = try await service.openForm(by: admin)
            let viewer = LiveTestViewer(admin, "/v1/meetings/\(meeting)/results/live")
            #expect(try await viewer.wait { !$0.events.isEmpty })
            let before = try Self.descriptors(of: service)
            let halfHead = "GET /livez HTTP/1.1\r\nHost: x\r\nX: y"
            try await RawConnection.open(port: service.port) { connected in
                try await Self.expectHealthy(connected)
                let halfBody = try await SilentConnections(
                    files / 8, port: service.port,
                    sending: "POST /v1/forms/\(code)/submissions HTTP/1.1\r\nHost: x\r\n"
                        + "Content-Type: application/json\r\nContent-Length: 24\r\n\r\n{\"answers\":")
                let dripping = try await SilentConnections(files / 8, port: service.port, sending: halfHead)
                let silent = try await SilentConnections(files, port: service.port, sending: "")
                let half = try await SilentConnections(files / 2, port: service.port, sending: halfHead)
                // Clients that send no head are disconnected to make room for new ones. None of them disconnects first.
                let newcomer = Task {
                    try await RawConnection.open(port: service.port) { try await Self.expectHealthy($0) }
                    return ContinuousClock.now
                }
                let (begin, deadline) = (ContinuousClock.now, ContinuousClock.now + .seconds(90))
                let isServed = Atomic(false)
                Task {
                    _ = try? await newcomer.value
                    isServed.store(true, ordering: .relaxed)
                }
                var count = 0
                while !isServed.load(ordering: .relaxed), .now < deadline {
                    dripping.send("y")
                    try await Self.expectHealthy(connected)
                    try await Self.submit(code, connected)
                    count += 1
                    #expect(try await viewer.wait { $0.submissions == count })
                    let used = try Self.descriptors(of: service)
                    #expect(used < files, "\(used) descriptors")
                    try await Task.sleep(for: .milliseconds(250))
                }
                let isOverdue = !isServed.load(ordering: .relaxed)
                newcomer.cancel()
                try #require(!isOverdue, "the newcomer was not served")
                #expect(try await newcomer.value - begin > .seconds(5), "the newcomer had to wait")
                for connections in [silent, half, dripping, halfBody] { await connections.close() }
                try await RawConnection.open(port: service.port) { try await Self.expectHealthy($0) }
                try await Self.expectHealthy(connected)
            }
            #expect(service.isRunning)
            let after = try await Self.descriptors(of: service, atMost: before + 8)
            #expect(after <= before + 8, "\(after) descriptors, \(before) before")
            let memory = try Self.memory(of: service)
            let newConnections = try await SilentConnections(files / 2, port: service.port, sending: halfHead)
            try await eventually("the connections are accepted") {
                try Self.descriptors(of: service) > before + files / 4
            }
            await newConnections.close()
            #expect(try await Self.descriptors(of: service, atMost: before + 8) <= before + 8)
            let growth = try Self.memory(of: service) - memory
            #expect(growth < Self.maxGrowth, "\(growth) KiB more")
            #expect(!viewer.isOver)
            await viewer.leave()
            #expect(await service.stop() == 0)
        }
    }

    @Test(arguments: [256, 1_024]) func liveViewersLeaveConnectionsForRequests(files: Int) async throws {
        try OpenFiles.raiseLimit()
        let folder = try TemporaryFolder()
        let arguments = ["--data", folder / "data"] + Self.unlimitedAddress
        try await RunningService(arguments, openFiles: files).using { service in
            let admin = try await service.admin(in: folder / "data")
            let (code, meeting) = try await service.openForm(by: admin)
            let path = "/v1/meetings/\(meeting)/results/live"
            let viewer = LiveTestViewer(admin, path)
            #expect(try await viewer.wait { !$0.events.isEmpty })
            let before = try Self.descriptors(of: service)
            let head = "GET \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: \(admin.authorization ?? "")\r\n\r\n"
            let streams = try Self.limits(files: files).viewers
            var memory: [Int] = []
            for round in 1...2 {
                let crowd = try await SilentConnections(streams + 12, port: service.port, sending: head)
                try await eventually("all streams are open") {
                    let refused = try await admin.send("HEAD", path)
                    return refused.status == 503 && refused["Retry-After"] != nil
                }
                for count in 1...20 {
                    try await RawConnection.open(port: service.port) { raw in
                        try await Self.expectHealthy(raw)
                        try await Self.submit(code, raw)
                    }
                    #expect(try await viewer.wait { $0.submissions == (round - 1) * 20 + count })
                }
                #expect(try Self.descriptors(of: service) < files)
                await crowd.close()
                let after = try await Self.descriptors(of: service, atMost: before + 8)
                #expect(after <= before + 8, "\(after) descriptors, \(before) before")
                memory.append(try Self.memory(of: service))
            }
            #expect(memory[1] < memory[0] + Self.maxGrowth, "\(memory) KiB")
            #expect(service.isRunning && !viewer.isOver)
            await viewer.leave()
        }
    }

    /// The service closes silent connections only after ten seconds.
    @Test func addressAtItsLimitDoesNotDelayOtherAddresses() async throws {
        try OpenFiles.raiseLimit()
        let folder = try TemporaryFolder()
        try await RunningService(["--data", folder / "data"], openFiles: 256).using { service in
            let admin = try await service.admin(in: folder / "data")
            let (code, meeting) = try await service.openForm(by: admin)
            let limits = try Self.limits(files: 256)
            let maxPerAddress = try #require(limits.connectionsPerAddress)
            for limit in [
                "connections-per-address=\(maxPerAddress) ", "connections=\(limits.connections) ", "files=256 ",
            ] {
                #expect(service.standardError.contains(limit), "\(service.standardError)")
            }
            #expect(service.standardOutput.split(separator: "\n").count == 1, "the log is on the standard error")
            let head =
                "GET /v1/meetings/\(meeting)/results/live HTTP/1.1\r\nHost: x\r\n"
                + "Authorization: \(admin.authorization ?? "")\r\n\r\n"
            let live = try await SilentConnections(maxPerAddress / 2, port: service.port, sending: head)
            let silent = try await SilentConnections(2 * maxPerAddress, port: service.port, sending: "")
            let start = ContinuousClock.now
            for _ in 0..<3 {
                try await RawConnection.open(port: service.port, from: "127.0.0.2") { raw in
                    try await Self.expectHealthy(raw)
                    try await Self.submit(code, raw)
                }
            }
            #expect(.now - start < .seconds(5))
            let refused = try await RawConnection.open(port: service.port) { raw in
                await raw.exchange("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            }
            #expect(refused.isEmpty, "the address is at its limit")
            await silent.close()
            await live.close()
            try await eventually("the address is served again") {
                try await RawConnection.open(port: service.port) { raw in
                    await raw.exchange("GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                }.hasPrefix("HTTP/1.1 200 ")
            }
        }
    }

    @Test func tooFewOpenFilesPreventTheStart() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Program.run(
            ["-c", "ulimit -n 100; exec \"$0\" serve --port 0 --data \"$1\"", Program.path, folder / "data"],
            program: "/bin/sh")
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("The limit of open files, 100, leaves no room for connections: "))
    }

    @Test func connectionsUseTheFilesThatAreNotReserved() {
        func connections(_ soft: Int, _ hard: Int, processors: Int = 2, database: Int = 18) -> Int {
            OpenFileLimit(soft: soft, hard: hard).connections(processors: processors, databaseConnections: database)
        }
        #expect(connections(256, 256) == 256 - 96 - 6 - 36)
        #expect(connections(1_024, 1_024) == 886)
        #expect(connections(1_024, 4_096) == 3_958, "the soft limit is raised")
        #expect(connections(1_024, 524_288) == OpenFileLimit.maxConnections)
        #expect(connections(.max, .max) == OpenFileLimit.maxConnections)
        #expect(connections(0, 0) < OpenFileLimit.minConnections)
        #expect(connections(1_024, 1_024, processors: 64, database: 518) < 0)
        #expect(OpenFileLimit(soft: 1_024, hard: .max).raised == OpenFileLimit.maxFiles)
        #expect(OpenFileLimit(soft: 2_000_000, hard: .max).raised == 2_000_000, "never lowered")
        for connections in [16, 118, 886, 4_096, 32_768] {
            let viewers = OpenFileLimit.viewers(connections: connections)
            #expect(viewers <= connections - 4 && viewers <= 20_000 && viewers > connections / 2)
        }
    }

    @Test func currentLimitAppliesIfItCannotBeRaised() throws {
        var limit = rlimit()
        getrlimit(Self.openFiles, &limit)
        let lower = min(limit.rlim_max, 8_192) - 1
        limit.rlim_cur = lower
        setrlimit(Self.openFiles, &limit)
        #expect(OpenFileLimit.raise { _ in } == OpenFileLimit(soft: Int(lower), hard: Int(lower)))
        #expect(OpenFileLimit.raise().soft > Int(lower), "the system allows raising it")
    }

    @Test func doctorReportsTheLimit() async throws {
        let folder = try TemporaryFolder()
        func finding(_ files: String) async throws -> String {
            let outcome = try await Program.run(
                ["-c", "ulimit \(files); exec \"$0\" doctor --data \"$1\"", Program.path, folder.path],
                program: "/bin/sh")
            return outcome.output.split(separator: "\n").map(String.init).first { $0.contains(" open-files ") } ?? ""
        }
        let few = try await finding("-n 256")
        #expect(few.hasPrefix("warning "), "\(few)")
        #expect(few.contains("The limit of open files is 256 (hard: 256): it allows "), "\(few)")
        #expect(few.contains(" event streams. One client address may have "), "\(few)")
        let raised = try await finding("-S -n 256")
        #expect(raised.hasPrefix("fine ") && raised.contains("`serve` raises it to "), "\(raised)")
        #expect(try await finding("-n 64").hasPrefix("wrong "))
    }

    private static var openFiles: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }

    private static func descriptors(of service: RunningService) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(service.pid)/fd").count
    }

    /// The number of descriptors once it is at most `most`, or after twenty seconds.
    private static func descriptors(of service: RunningService, atMost most: Int) async throws -> Int {
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            let count = try descriptors(of: service)
            if count <= most || .now > deadline { return count }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// The accepted growth of the memory in the second of two equal rounds, in KiB. The allocator keeps the memory of
    /// the first round, so a larger growth would show that each round leaks memory.
    private static let maxGrowth = 8 * 1024

    /// The resident memory in KiB, without pages of files, such as the program.
    private static func memory(of service: RunningService) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(service.pid)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
        return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    }

    /// The limits of a service with default settings.
    private static func limits(files: Int) throws -> ClientLimits {
        let settings = try Settings(
            SettingTexts(flags: [:], config: nil, environment: [:], defaults: Settings.defaults(isRoot: false)))
        return settings.clientLimits(
            connections: settings.connections(under: OpenFileLimit(soft: files, hard: files)))
    }

    private static func expectHealthy(_ connection: RawConnection.Client) async throws {
        try await connection.send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
        let response = try await connection.take(through: #"{"status":"ok"}"#)
        #expect(response?.hasPrefix("HTTP/1.1 200 ") == true, "\(response ?? "closed")")
    }

    private static func submit(_ code: String, _ connection: RawConnection.Client) async throws {
        let body = #"{"answers": {"pace": 4}}"#
        try await connection.send(
            """
            POST /v1/forms/\(code)/submissions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r
            Content-Length: \(body.utf8.count)\r\n\r\n\(body)
            """)
        let response = try await connection.take(through: "}")
        #expect(response?.hasPrefix("HTTP/1.1 201 ") == true, "\(response ?? "closed")")
    }
}
