import Foundation

/// Builds the query string of an address. Names and values are percent-encoded.
struct PathQuery: Sendable {
    /// The unreserved characters of RFC 3986.
    private static let unreserved = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")

    private var pairs: [(name: String, value: String)]

    init(_ pairs: [(name: String, value: String)] = []) { self.pairs = pairs }

    mutating func add(_ name: String, _ value: String) { pairs.append((name, value)) }

    /// A copy with one more parameter, or an unchanged copy if the value is nil.
    func with(_ name: String, _ value: String?) -> PathQuery {
        value.map { PathQuery(pairs + [(name: name, value: $0)]) } ?? self
    }

    /// The query string with its question mark. Empty without parameters.
    var text: String {
        let encoded = pairs.map { "\(Self.encode($0.name))=\(Self.encode($0.value))" }
        return encoded.isEmpty ? "" : "?" + encoded.joined(separator: "&")
    }

    static func encode(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
