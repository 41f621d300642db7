import Contract
import Foundation

/// A client that sends requests, with or without a credential.
protocol Caller: Sendable {
    var connection: Connection { get }
    var credential: Credential { get }
}

/// The body of a request.
enum Payload: Sendable {
    case none
    case json(any Encodable & Sendable)
    case bytes([UInt8], type: String)
}

/// The query of a URL, in order. A name can occur several times; pairs with nil are left out.
struct Query: Sendable, ExpressibleByDictionaryLiteral {
    var pairs: [(name: String, value: String?)]

    init(_ name: String, _ values: [String]) { pairs = values.map { (name, $0) } }

    init(dictionaryLiteral elements: (String, String?)...) { pairs = elements.map { ($0.0, $0.1) } }
}

extension Caller {
    /// A list whose pages are fetched with these parameters, a limit and a cursor.
    func pages<Item>(
        _ endpoint: Endpoint, _ parameters: any CustomStringConvertible..., query: Query = [:],
        as credential: Credential? = nil
    ) -> Pages<Item> {
        let values = parameters.map(\.description)
        return Pages { cursor, limit in
            var query = query
            query.pairs += [("limit", limit.map(String.init)), ("cursor", cursor)]
            let request = try request(endpoint, values, query: query, as: credential)
            return try await connection.reply(to: request, endpoint.idempotency).value()
        }
    }

    /// Sends a request, retries it if that is safe, and returns a successful response.
    ///
    /// - Parameters:
    ///   - parameters: Values for the path's placeholders, in order.
    ///   - tag: Sent as `If-Match`.
    ///   - knownTag: Sent as `If-None-Match`.
    func call(
        _ endpoint: Endpoint, _ parameters: any CustomStringConvertible..., query: Query = [:],
        body payload: Payload = .none, matching tag: ETag? = nil, unlessMatching knownTag: ETag? = nil,
        key: IdempotencyKey? = nil,
        as credential: Credential? = nil
    ) async throws -> Reply {
        var request = try request(endpoint, parameters.map(\.description), query: query, as: credential)
        request.headers["If-Match"] = tag?.description
        request.headers["If-None-Match"] = knownTag?.description
        if endpoint.idempotency == .keyed {
            request.headers["Idempotency-Key"] = (key ?? IdempotencyKey()).description
        }
        switch payload {
        case .none: break
        case .json(let value):
            request.headers["Content-Type"] = "application/json"
            request.body = try ContractCoding.encode(value)
        case .bytes(let bytes, let type):
            request.headers["Content-Type"] = type
            request.body = bytes
        }
        return try await connection.reply(to: request, endpoint.idempotency)
    }

    /// Creates a request without a body.
    func request(
        _ endpoint: Endpoint, _ parameters: [String], query: Query = [:],
        as credential: Credential? = nil
    ) throws -> TransportRequest {
        let scheme = connection.url.prefix { $0 != "/" }.lowercased()
        guard scheme == "https:" || scheme == "http:" else {
            throw AfterwordError.invalidRequest("The service's URL must begin with https:// or http://.")
        }
        var headers = ["User-Agent": "AfterwordClient"]
        headers["Authorization"] = try (credential ?? self.credential).header
        let pairs = query.pairs.compactMap { name, value in value.map { "\(name)=\(PercentEncoding.encode($0))" } }
        let queryString = pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
        return TransportRequest(
            method: endpoint.method, url: connection.url + (try endpoint.path(parameters)) + queryString,
            headers: headers)
    }
}
