import HTTPFetch
import StrictJSON

/// Sends requests to a service under test and reads the complete responses.
public struct HTTPTestClient: Sendable {
    /// A response with its complete body.
    public struct Response: Sendable {
        public let status: Int
        /// Keys are in lower case.
        public let headers: [String: String]
        public let body: [UInt8]

        public var text: String { String(decoding: body, as: UTF8.self) }

        /// The body as strict JSON; nil if it is not valid.
        public var json: JSONValue? { try? JSONValue.parse(body) }

        public subscript(header: String) -> String? { headers[header.lowercased()] }

        /// The code at the end of a problem's `type`.
        public var problem: String? {
            guard let type = json?["type"]?.string, type.hasPrefix("/problems/") else { return nil }
            return String(type.dropFirst("/problems/".count))
        }

        /// The errors of a problem, each in the form `pointer code`.
        public var faults: [String] {
            (json?["errors"]?.array ?? []).map { "\($0["pointer"]?.string ?? "") \($0["code"]?.string ?? "")" }
        }
    }

    /// Follows no redirects, because tests check their targets.
    private static let fetcher = HTTPFetcher(maxConnectionsPerHost: 64)

    public let port: Int
    /// Sent with every request that has no `Authorization` of its own.
    public var authorization: String?

    public init(port: Int, authorization: String? = nil) {
        self.port = port
        self.authorization = authorization
    }

    public func bearing(_ token: String) -> HTTPTestClient {
        HTTPTestClient(port: port, authorization: "Bearer \(token)")
    }

    public func get(_ path: String, headers: [String: String] = [:]) async throws -> Response {
        try await send("GET", path, headers: headers)
    }

    public func post(_ path: String, json: String? = nil, headers: [String: String] = [:]) async throws -> Response {
        try await send("POST", path, body: json.map { Array($0.utf8) }, headers: headers)
    }

    public func put(_ path: String, json: String? = nil, headers: [String: String] = [:]) async throws -> Response {
        try await send("PUT", path, body: json.map { Array($0.utf8) }, headers: headers)
    }

    public func delete(_ path: String, headers: [String: String] = [:]) async throws -> Response {
        try await send("DELETE", path, headers: headers)
    }

    /// - Parameter body: sent as `application/json` unless `headers` say otherwise.
    public func send(
        _ method: String, _ path: String, body: [UInt8]? = nil, headers: [String: String] = [:]
    ) async throws -> Response {
        var request = FetchRequest(method: method, url: "http://127.0.0.1:\(port)\(path)", body: body)
        request.headers = headers.map { ($0.key, $0.value) }
        let givenNames = Set(headers.keys.map { $0.lowercased() })
        if let authorization, !givenNames.contains("authorization") {
            request.headers.append(("Authorization", authorization))
        }
        if body != nil, !givenNames.contains("content-type") {
            request.headers.append(("Content-Type", "application/json"))
        }
        request.totalTimeout = .seconds(30)
        let response = try await Self.fetcher.fetch(request)
        let fields = response.headers.map { ($0.name.lowercased(), $0.value) }
        let responseHeaders = Dictionary(fields) { "\($0), \($1)" }
        var bytes: [UInt8] = []
        let isEndless = responseHeaders["content-type"]?.hasPrefix("text/event-stream") == true
        for try await chunk in response.body {
            bytes += chunk
            // An event stream does not end, so the connection is closed after the first event.
            if isEndless, String(decoding: bytes, as: UTF8.self).contains("\ndata: "), bytes.suffix(2) == [10, 10] {
                break
            }
        }
        return Response(status: response.status, headers: responseHeaders, body: bytes)
    }
}
