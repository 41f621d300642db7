import Foundation

/// The query of an address, with names and values percent-encoded.
struct PathQuery: Sendable {
    private static let plain = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")

    private var pairs: [String] = []

    init(_ pairs: [(name: String, value: String)] = []) {
        for pair in pairs { add(pair.name, pair.value) }
    }

    mutating func add(_ name: String, _ value: String) {
        pairs.append("\(Self.encode(name))=\(Self.encode(value))")
    }

    /// Adds a parameter unless it is nil.
    func with(_ name: String, _ value: String?) -> PathQuery {
        guard let value else { return self }
        var longer = self
        longer.add(name, value)
        return longer
    }

    /// With the question mark; empty without parameters.
    var text: String { pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&") }

    static func encode(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }
}
