import Foundation
import HTTPFetch
import StrictJSON
import Synchronization

/// A viewer that reads an event stream on its own connection until the test disconnects it.
public final class LiveTestViewer: Sendable {
    public struct Event: Sendable, Equatable {
        public var name = ""
        public var id: String?
        public var data = ""

        public init(name: String = "", id: String? = nil, data: String = "") {
            self.name = name
            self.id = id
            self.data = data
        }

        public var json: JSONValue? { try? JSONValue.parse(Array(data.utf8)) }
    }

    private struct State {
        var status: Int?
        var headers: [String: String] = [:]
        var events: [Event] = []
        var comments = 0
        var text = ""
        var isOver = false
    }

    /// One connection per viewer.
    private static let fetcher = HTTPFetcher(maxConnectionsPerHost: 20_000)

    private let state = Mutex(State())
    private let reading = Mutex<Task<Void, Never>?>(nil)

    /// Starts reading; tests wait for events with ``wait(for:)``.
    ///
    /// - Parameter keepsAll: Whether to keep all events instead of only the latest.
    public init(
        _ client: HTTPTestClient, _ path: String, headers: [String: String] = [:], keepsAll: Bool = true
    ) {
        var request = FetchRequest(url: "http://127.0.0.1:\(client.port)\(path)")
        request.headers = headers.map { ($0.key, $0.value) }
        if let authorization = client.authorization { request.headers.append(("Authorization", authorization)) }
        request.closesConnection = true
        let task = Task { [request] in
            do {
                let response = try await Self.fetcher.fetch(request)
                let fields = response.headers.map { ($0.name.lowercased(), $0.value) }
                state.withLock { state in
                    state.status = response.status
                    state.headers = Dictionary(fields) { "\($0), \($1)" }
                }
                for try await chunk in response.body { append(String(decoding: chunk, as: UTF8.self), keepsAll) }
            } catch {
                // The stream is over, with or without an error.
            }
            state.withLock { $0.isOver = true }
        }
        reading.withLock { $0 = task }
    }

    public var status: Int? { state.withLock { $0.status } }
    public var headers: [String: String] { state.withLock { $0.headers } }
    public var events: [Event] { state.withLock { $0.events } }
    public var last: Event? { state.withLock { $0.events.last } }
    public var comments: Int { state.withLock { $0.comments } }
    /// Whether the server has ended the stream, or the stream could not be opened.
    public var isOver: Bool { state.withLock { $0.isOver } }
    public var revision: Int? { last?.id.flatMap { Int($0) } }
    public var submissions: Int? { last?.json?["submissions"]?.int }

    /// Disconnects and returns once the connection is closed.
    public func leave() async {
        let task = reading.withLock { $0 }
        task?.cancel()
        await task?.value
    }

    /// Whether the condition was met before the timeout.
    public func wait(
        _ time: Duration = .seconds(20), for condition: (LiveTestViewer) -> Bool
    ) async throws -> Bool {
        let deadline = ContinuousClock.now + time
        while !condition(self) {
            guard .now < deadline else { return false }
            try await Task.sleep(for: .milliseconds(5))
        }
        return true
    }

    private func append(_ chunk: String, _ keepsAll: Bool) {
        state.withLock { state in
            state.text += chunk
            while let end = state.text.range(of: "\n\n") {
                let block = String(state.text[..<end.lowerBound])
                state.text.removeSubrange(..<end.upperBound)
                if block.hasPrefix(":") { state.comments += 1 }
                guard let event = Self.event(block) else { continue }
                if !keepsAll { state.events = [] }
                state.events.append(event)
            }
        }
    }

    /// Nil for a block without data, such as a comment or a retry interval.
    private static func event(_ block: String) -> Event? {
        var event = Event()
        // Parsed as bytes: with thousands of viewers, `Character` processing would dominate.
        for line in block.utf8.split(separator: UInt8(ascii: "\n")) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == UInt8(ascii: " ") }
            switch Substring(line[..<colon]) {
            case "event": event.name = String(Substring(value))
            case "id": event.id = String(Substring(value))
            case "data": event.data += String(Substring(value))
            default: break
            }
        }
        return event.data.isEmpty ? nil : event
    }
}
