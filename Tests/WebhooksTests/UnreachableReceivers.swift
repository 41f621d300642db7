import Domain
import Foundation
import TestSupport
import Testing

@testable import Webhooks

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Receivers that do not accept connections.
@Suite(.timeLimit(.minutes(15))) struct UnreachableReceivers {
    private struct SlowResolver: NameResolver {
        let pause: Duration

        func addresses(of host: String) async -> [NetworkAddress] {
            try? await Task.sleep(for: pause)
            return NetworkAddress("127.0.0.1").map { [$0] } ?? []
        }
    }

    /// Runs `body` with a port whose accept queue is full, so that every further connection attempt is dropped.
    private static func withFullPort<Value>(_ body: (_ port: Int) async throws -> Value) async throws -> Value {
        let stream = Int32(SOCK_STREAM.rawValue)
        let listener = socket(AF_INET, stream, 0)
        var sockets = [listener]
        defer { for each in sockets { close(each) } }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                _ = bind(listener, generic, size)
                _ = listen(listener, 0)
                _ = getsockname(listener, generic, &size)
                for _ in 0..<8 {
                    let pending = socket(AF_INET, stream | Int32(SOCK_NONBLOCK.rawValue), 0)
                    _ = connect(pending, generic, size)
                    sockets.append(pending)
                }
            }
        }
        return try await body(Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func send(
        to host: String, _ port: Int, _ resolver: any NameResolver = SystemResolver(), timeout: Duration
    ) async -> WebhookSender.Outcome {
        await WebhookSender(to: WebhookTargets(allowsPrivate: true), resolver: resolver, timeout: timeout).send(
            id: UUID(), body: "{}", to: "http://\(host):\(port)/", secret: [1], tries: 1)
    }

    @Test func receiversThatAcceptNoConnectionTimeOut() async throws {
        try await Self.withFullPort { port in
            let begun = ContinuousClock.now
            let outcome = await Self.send(to: "127.0.0.1", port, timeout: .seconds(12))
            #expect(outcome == .refused(status: nil, reason: "it took longer than 12 s"))
            // This limit allows for a busy machine, and is less than twice the timeout.
            #expect(.now - begun < .seconds(20), "\(.now - begun)")
        }
    }

    /// The number of established or pending connections to a loopback port.
    private static func connections(to port: Int) throws -> Int {
        let table = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
        let end = ":" + String(format: "%04X", port)
        return table.split(separator: "\n").count { line in
            let fields = line.split(separator: " ")
            return fields.count > 3 && fields[2].hasSuffix(end) && ["01", "02"].contains(fields[3])
        }
    }

    /// Runs four concurrent sequences of tries. Returns the highest number of connections after a try, and the number at
    /// the end.
    private static func connectionsAfterTries(of url: String, port: Int) async throws -> (most: Int, atEnd: Int) {
        let sender = WebhookSender(to: WebhookTargets(allowsPrivate: true), timeout: .milliseconds(300))
        let most = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var most = 0
                    for _ in 0..<5 {
                        let outcome = await sender.send(id: UUID(), body: "{}", to: url, secret: [1], tries: 1)
                        guard case .refused(status: nil, _) = outcome else { throw TestStore.Missing("a refusal") }
                        most = max(most, try connections(to: port))
                    }
                    return most
                }
            }
            return try await group.reduce(0, max)
        }
        return (most, try connections(to: port))
    }

    /// The receiver accepts the connection and does not answer the TLS hello.
    @Test func unfinishedHandshakesDoNotAccumulate() async throws {
        try await TestReceiver.run { receiver in
            let counts = try await Self.connectionsAfterTries(
                of: "https://127.0.0.1:\(receiver.port)/", port: receiver.port)
            // Each of the three other sequences may still have a connection.
            #expect(counts.most <= 3 && counts.atEnd == 0, "\(counts)")
            #expect(receiver.connections == 20)
        }
    }

    @Test func unacceptedConnectionsDoNotAccumulate() async throws {
        try await Self.withFullPort { port in
            let pending = try Self.connections(to: port)
            let counts = try await Self.connectionsAfterTries(of: "http://127.0.0.1:\(port)/", port: port)
            #expect(counts.most <= pending + 3 && counts.atEnd <= pending, "\(counts), \(pending) pending")
        }
    }

    @Test func timeoutIncludesTheNameResolution() async throws {
        try await Self.withFullPort { port in
            let begun = ContinuousClock.now
            let slow = SlowResolver(pause: .seconds(10))
            let outcome = await Self.send(to: "slow.invalid", port, slow, timeout: .seconds(12))
            #expect(outcome == .refused(status: nil, reason: "it took longer than 12 s"))
            #expect(.now - begun < .seconds(20), "\(.now - begun)")
        }
    }

    @Test func cancelledTryStopsConnecting() async throws {
        try await Self.withFullPort { port in
            let begun = ContinuousClock.now
            let sending = Task { await Self.send(to: "127.0.0.1", port, timeout: .seconds(60)) }
            // By now, the try is usually connecting. The test also passes if it is not.
            try await Task.sleep(for: .milliseconds(300))
            sending.cancel()
            _ = await sending.value
            #expect(.now - begun < .seconds(30), "\(.now - begun)")
        }
    }
}
