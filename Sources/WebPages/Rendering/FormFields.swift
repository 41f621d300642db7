import Foundation

/// The fields of a form (`application/x-www-form-urlencoded`); values of the same name keep their order.
struct FormFields: Sendable {
    static let maxBytes = 256 * 1024

    private var all: [(name: String, value: String)] = []
    /// For fast lookup: a large form has thousands of names.
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

    /// Replaces CRLF by LF and changes nothing else. The API refuses characters that can't be stored, such as NUL.
    mutating func add(_ name: String, _ value: String) {
        let value = value.utf8.contains(UInt8(ascii: "\r")) ? value.replacing("\r\n", with: "\n") : value
        all.append((name, value))
        byName[name, default: []].append(value)
    }

    /// The first value of the name.
    subscript(name: String) -> String? { byName[name]?.first }

    func values(_ name: String) -> [String] { byName[name] ?? [] }

    /// As the query of an address, without some of the names; empty, or with the question mark.
    func address(besides names: Set<String> = []) -> String {
        PathQuery(all.filter { !names.contains($0.name) }).text
    }

    /// Decodes byte by byte, because a large form has millions of bytes; nil for invalid UTF-8.
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
