import NIOCore
import NIOPosix
import Synchronization

/// A loopback server that responds to each request as a script says.
final class ScriptedServer: Sendable {
    enum Step: Sendable {
        case send(String)
        /// Sends this many bytes in pieces, as fast as the client reads.
        case flood(Int)
        case wait(Duration)
        case close
    }

    private struct State {
        var requests: [String] = []
        var connections = 0
        var openConnections = 0
        var flooded = 0
    }

    typealias Script = @Sendable (_ number: Int, _ request: String) -> [Step]

    private let state = Mutex(State())
    private let script: Script
    let port: Int

    /// Head and body of each request, in the order of arrival.
    var requests: [String] { state.withLock { $0.requests } }
    var connections: Int { state.withLock { $0.connections } }
    /// The number of connections that the client has not closed.
    var openConnections: Int { state.withLock { $0.openConnections } }
    /// The number of bytes sent by `flood`.
    var flooded: Int { state.withLock { $0.flooded } }

    private init(port: Int, script: @escaping Script) {
        self.port = port
        self.script = script
    }

    func url(_ path: String = "/", host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    static func run(
        _ script: @escaping Script = { _, _ in [.send(ok)] }, _ body: (ScriptedServer) async throws -> Void
    ) async throws {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let server = ScriptedServer(port: listener.channel.localAddress?.port ?? 0, script: script)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.accept(listener) }
            do {
                try await body(server)
            } catch {
                group.cancelAll()
                throw error
            }
            group.cancelAll()
            try? await group.waitForAll()
        }
    }

    private func accept(
        _ listener: NIOAsyncChannel<NIOAsyncChannel<ByteBuffer, ByteBuffer>, Never>
    ) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            try await listener.executeThenClose { connections in
                for try await connection in connections {
                    group.addTask { await self.serve(connection) }
                }
            }
        }
    }

    private func serve(_ connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>) async {
        state.withLock { state in
            state.connections += 1
            state.openConnections += 1
        }
        try? await connection.executeThenClose { inbound, outbound in
            var received = ""
            for try await bytes in inbound {
                received += String(buffer: bytes)
                guard Self.isComplete(received) else { continue }
                let number = state.withLock { state in
                    state.requests.append(received)
                    return state.requests.count
                }
                for step in script(number, received) {
                    switch step {
                    case .send(let text): try await outbound.write(ByteBuffer(string: text))
                    case .flood(let count):
                        let piece = ByteBuffer(repeating: 0x61, count: 64 << 10)
                        for _ in 0..<(count / piece.readableBytes) {
                            // Returns once the piece is written. `outbound` would buffer any number of pieces.
                            try await connection.channel.writeAndFlush(piece).get()
                            state.withLock { $0.flooded += piece.readableBytes }
                        }
                    case .wait(let time): try await Task.sleep(for: time)
                    case .close: return
                    }
                }
                received = ""
            }
        }
        state.withLock { $0.openConnections -= 1 }
    }

    private static func isComplete(_ text: String) -> Bool {
        guard let end = text.firstRange(of: "\r\n\r\n") else { return false }
        let length = text[..<end.lowerBound].split(separator: "\r\n").lazy
            .compactMap {
                $0.lowercased().hasPrefix("content-length:") ? Int($0.dropFirst(15).filter(\.isNumber)) : nil
            }
        return text[end.upperBound...].utf8.count >= length.first ?? 0
    }
}
