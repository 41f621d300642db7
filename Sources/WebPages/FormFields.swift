import Foundation

/// Names and values as forms send them (`application/x-www-form-urlencoded`), in their order.
struct FormFields: Sendable {
    static let mostBytes = 256 * 1024

    private var all: [(name: String, value: String)] = []

    init() {}

    init(_ text: String) {
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(parts[0]), let value = Self.decode(parts.count > 1 ? parts[1] : "") else {
                continue
            }
            all.append((name, value))
        }
    }

    /// The first of this name; a browser's line ends are those of this system.
    subscript(name: String) -> String? {
        all.first { $0.name == name }?.value
    }

    func values(_ name: String) -> [String] { all.filter { $0.name == name }.map(\.value) }

    /// As they stand in an address, without those of some names; empty, or with the question mark.
    func address(besides names: Set<String> = []) -> String {
        PathQuery(all.filter { !names.contains($0.name) }).text
    }

    private static func decode(_ text: Substring) -> String? {
        text.replacing("+", with: " ").removingPercentEncoding?
            .replacing("\r\n", with: "\n").replacing("\u{0}", with: "")
    }
}
