import Foundation

/// What stands behind the path of an address, each name and value encoded.
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

    /// The same with one more, if there is one.
    func with(_ name: String, _ value: String?) -> PathQuery {
        guard let value else { return self }
        var longer = self
        longer.add(name, value)
        return longer
    }

    /// With the question mark, where there is anything to ask.
    var text: String { pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&") }

    static func encode(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }
}
