import Foundation

/// Builds the query string of an address. Names and values are percent-encoded.
struct PathQuery: Sendable {
    /// The unreserved characters of RFC 3986.
    private static let unreserved = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")

    private var pairs: [String] = []

    init(_ pairs: [(name: String, value: String)] = []) {
        for pair in pairs { add(pair.name, pair.value) }
    }

    mutating func add(_ name: String, _ value: String) {
        pairs.append("\(Self.encode(name))=\(Self.encode(value))")
    }

    /// A copy with one more parameter, or an unchanged copy if the value is nil.
    func with(_ name: String, _ value: String?) -> PathQuery {
        guard let value else { return self }
        var query = self
        query.add(name, value)
        return query
    }

    /// The query string with its question mark. Empty without parameters.
    var text: String { pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&") }

    static func encode(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
