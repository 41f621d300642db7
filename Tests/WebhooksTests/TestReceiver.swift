import NIOCore
import NIOPosix
import Synchronization
import TestSupport

/// A loopback server that records requests and responds as a test requires.
final class TestReceiver: Sendable {
    struct Request: Sendable {
        var line: String
        /// Keys are in lower case.
        var headers: [String: String]
        var body: String

        var id: String? { headers["webhook-id"] }
    }

    enum Response: Sendable {
        case status(Int, headers: String = "")
        /// The connection is closed without a response.
        case reset
        /// Reads and never responds.
        case silence
        /// The head of a successful response of 1 GB, and as much of the body as the client reads.
        case endless
        /// The head of a successful response, and then a byte of its body every 50 milliseconds.
        case drip
        /// Bytes that are not HTTP.
        case nonsense
    }

    typealias Script = @Sendable (_ number: Int, Request) async -> Response

    private struct State {
        var requests: [Request] = []
        var connections = 0
        var sentBytes = 0
        var inFlight = 0
        var maxInFlight = 0
        var port = 0
        /// Nil once the receiver stops.
        var serving: [Task<Void, Never>]? = []
    }

    private let state = Mutex(State())
    private let script: Script

    private init(script: @escaping Script) {
        self.script = script
    }

    /// Set once the receiver listens.
    var port: Int { state.withLock { $0.port } }
    var requests: [Request] { state.withLock { $0.requests } }
    var connections: Int { state.withLock { $0.connections } }
    /// The bytes of endless responses that were sent.
    var sentBytes: Int { state.withLock { $0.sentBytes } }
    var maxInFlight: Int { state.withLock { $0.maxInFlight } }

    func url(_ path: String = "/hook", host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

    /// - Parameter script: called for each request, with numbers from 1.
    static func run<Value: Sendable>(
        _ script: @escaping Script = { _, _ in .status(204) },
        _ body: (TestReceiver) async throws -> Value
    ) async throws -> Value {
        let receiver = TestReceiver(script: script)
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    receiver.accept(try NIOAsyncChannel(wrappingChannelSynchronously: channel))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        receiver.state.withLock { $0.port = server.localAddress?.port ?? 0 }
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body(receiver)) } catch { outcome = .failure(error) }
        try? await server.close()
        let serving = receiver.state.withLock { state in
            defer { state.serving = nil }
            return state.serving ?? []
        }
        for task in serving { task.cancel() }
        for task in serving { await task.value }
        return try outcome.get()
    }

    /// Serves an accepted client, even while the receiver stops. NIO crashes the process if a writer is not finished,
    /// and NIO's stream of accepted connections drops those that arrive while the socket closes.
    private func accept(_ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>) {
        state.withLock { state in
            let task = Task { _ = try? await self.serve(client) }
            if state.serving == nil { task.cancel() } else { state.serving?.append(task) }
        }
    }

    /// Waits until `condition` holds. Throws after half a minute.
    static func wait(
        for what: String, _ condition: @Sendable () async throws -> Bool
    ) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while try await !condition() {
            guard .now < end else { throw TestStore.Missing(what) }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func serve(_ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>) async throws {
        state.withLock { $0.connections += 1 }
        try await client.executeThenClose { inbound, outbound in
            var iterator = inbound.makeAsyncIterator()
            var text = ""
            var request = Self.parse(text)
            while request == nil, let chunk = try await iterator.next() {
                text += String(buffer: chunk)
                request = Self.parse(text)
            }
            guard let request else { return }
            let number = state.withLock { state in
                state.requests.append(request)
                state.inFlight += 1
                state.maxInFlight = max(state.maxInFlight, state.inFlight)
                return state.requests.count
            }
            defer { state.withLock { $0.inFlight -= 1 } }
            switch await script(number, request) {
            case .status(let status, let headers):
                try await outbound.write(
                    ByteBuffer(string: "HTTP/1.1 \(status) X\r\n\(headers)content-length: 2\r\n\r\nok"))
            case .reset: return
            case .silence: while try await iterator.next() != nil {}
            case .endless:
                try await outbound.write(Self.head(length: 1 << 30))
                let chunk = ByteBuffer(repeating: 0x78, count: 64 * 1024)
                for _ in 0..<(1 << 14) {
                    try await outbound.write(chunk)
                    // Before the event loop has processed the write, the writer does not know that the buffer is full.
                    try await client.channel.eventLoop.submit {}.get()
                    state.withLock { $0.sentBytes += chunk.readableBytes }
                }
            case .drip:
                try await outbound.write(Self.head(length: 10_000))
                for _ in 0..<10_000 {
                    try await outbound.write(ByteBuffer(string: "x"))
                    try await Task.sleep(for: .milliseconds(50))
                }
            case .nonsense: try await outbound.write(ByteBuffer(string: "NONSENSE \u{1}\r\n\r\n"))
            }
        }
    }

    private static func head(length: Int) -> ByteBuffer {
        ByteBuffer(string: "HTTP/1.1 200 OK\r\ncontent-length: \(length)\r\n\r\n")
    }

    /// Nil until the complete request has arrived.
    private static func parse(_ text: String) -> Request? {
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].split(separator: "\r\n").map(String.init)
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : ""
        }
        let body = String(text[end.upperBound...])
        guard body.utf8.count >= Int(headers["content-length"] ?? "0") ?? 0 else { return nil }
        return Request(line: lines.first ?? "", headers: headers, body: body)
    }
}
