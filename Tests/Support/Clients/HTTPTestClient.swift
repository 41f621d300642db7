import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import StrictJSON

/// Requests to a service under test, answers read whole.
public struct HTTPTestClient: Sendable {
    /// One answer, its body complete.
    public struct Answer: Sendable {
        public let status: Int
        /// Names in lower case.
        public let headers: [String: String]
        public let body: [UInt8]

        public var text: String { String(decoding: body, as: UTF8.self) }

        /// The body as strict JSON; nil if it is none.
        public var json: JSONValue? { try? JSONValue.parse(body) }

        public subscript(header: String) -> String? { headers[header.lowercased()] }

        /// The code at the end of a problem's `type`.
        public var problem: String? {
            guard let type = json?["type"]?.string, type.hasPrefix("/problems/") else { return nil }
            return String(type.dropFirst("/problems/".count))
        }

        /// `pointer code` of each of a problem's errors.
        public var faults: [String] {
            (json?["errors"]?.array ?? []).map { "\($0["pointer"]?.string ?? "") \($0["code"]?.string ?? "")" }
        }
    }

    /// Follows no redirect: where one leads is what is tested.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.redirectConfiguration = .disallow
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    public let port: Int
    /// Sent with every request, unless it brings its own.
    public var authorization: String?

    public init(port: Int, authorization: String? = nil) {
        self.port = port
        self.authorization = authorization
    }

    public func bearing(_ token: String) -> HTTPTestClient {
        HTTPTestClient(port: port, authorization: "Bearer \(token)")
    }

    public func get(_ path: String, headers: [String: String] = [:]) async throws -> Answer {
        try await send("GET", path, headers: headers)
    }

    public func post(_ path: String, json: String? = nil, headers: [String: String] = [:]) async throws -> Answer {
        try await send("POST", path, body: json.map { Array($0.utf8) }, headers: headers)
    }

    public func put(_ path: String, json: String? = nil, headers: [String: String] = [:]) async throws -> Answer {
        try await send("PUT", path, body: json.map { Array($0.utf8) }, headers: headers)
    }

    public func delete(_ path: String, headers: [String: String] = [:]) async throws -> Answer {
        try await send("DELETE", path, headers: headers)
    }

    /// - Parameter body: sent as `application/json` unless `headers` say otherwise.
    public func send(
        _ method: String, _ path: String, body: [UInt8]? = nil, headers: [String: String] = [:]
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = HTTPMethod(rawValue: method)
        request.headers = HTTPHeaders(headers.map { ($0.key, $0.value) })
        if let authorization, !request.headers.contains(name: "Authorization") {
            request.headers.add(name: "Authorization", value: authorization)
        }
        if let body {
            request.body = .bytes(ByteBuffer(bytes: body))
            if !request.headers.contains(name: "Content-Type") {
                request.headers.add(name: "Content-Type", value: "application/json")
            }
        }
        let response = try await Self.client.execute(request, timeout: .seconds(30))
        var bytes: [UInt8] = []
        let isEndless = response.headers.first(name: "Content-Type") == "text/event-stream"
        for try await chunk in response.body {
            bytes.append(contentsOf: chunk.readableBytesView)
            // An event stream goes on: its first event is enough, and then the connection is closed.
            if isEndless, String(decoding: bytes, as: UTF8.self).contains("\ndata: "), bytes.suffix(2) == [10, 10] {
                break
            }
        }
        let fields = response.headers.map { ($0.name.lowercased(), $0.value) }
        return Answer(
            status: Int(response.status.code), headers: Dictionary(fields) { "\($0), \($1)" }, body: bytes)
    }
}
