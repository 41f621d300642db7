import Foundation

/// Names and values as forms send them (`application/x-www-form-urlencoded`), those of one name in their order.
struct FormFields: Sendable {
    static let maxBytes = 256 * 1024

    private var all: [(name: String, value: String)] = []
    /// The same, since a large form is asked for thousands of names.
    private var byName: [String: [String]] = [:]

    init() {}

    init(_ text: String) {
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(parts[0]), let value = Self.decode(parts.count > 1 ? parts[1] : "") else {
                continue
            }
            add(name, value)
        }
    }

    /// A browser's line ends become those of this system. Nothing else is changed: what cannot be stored, such as NUL, is
    /// for the API to refuse in its place.
    mutating func add(_ name: String, _ value: String) {
        let value = value.utf8.contains(UInt8(ascii: "\r")) ? value.replacing("\r\n", with: "\n") : value
        all.append((name, value))
        byName[name, default: []].append(value)
    }

    /// The first of this name.
    subscript(name: String) -> String? { byName[name]?.first }

    func values(_ name: String) -> [String] { byName[name] ?? [] }

    /// As they stand in an address, without those of some names; empty, or with the question mark.
    func address(besides names: Set<String> = []) -> String {
        PathQuery(all.filter { !names.contains($0.name) }).text
    }

    /// Byte by byte, since a large form has millions of them; nil for what is no text.
    private static func decode(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
