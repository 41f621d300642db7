import Foundation
import HTTPAPI
import StrictJSON

/// The fields of a form or a query (`application/x-www-form-urlencoded`). Values of the same name keep their order.
struct FormFields: Sendable {
    static let maxBytes = 256 * 1024
    /// Room for a submission to a form of 100 questions with 50 options each.
    static let maxCount = 6_000
    /// More than the parameters of any page. Further fields of a query are ignored.
    static let maxCountInQuery = 64

    private var fields: [(name: String, value: String)] = []
    /// The same values by name, for fast lookup: a large form has thousands of names.
    private var byName: [String: [String]] = [:]
    /// Whether a field was left out because its name or value has too many combining marks in a row.
    private(set) var hasTooManyMarks = false
    /// The size of all values, in bytes.
    private(set) var valueBytes = 0

    init() {}

    /// Nil if there are more fields than allowed. They are counted before they are decoded, because a decoded field
    /// takes more memory than its bytes.
    init?(_ body: [UInt8], atMost limit: Int) {
        guard body.count(where: { $0 == UInt8(ascii: "&") }) < limit else { return nil }
        self.init(String(decoding: body, as: UTF8.self))
    }

    init(_ text: String) {
        for pair in text.utf8.split(separator: UInt8(ascii: "&")) { add(pair, droppingNUL: false) }
    }

    /// The first fields of a query, without NUL: pages search the database for some of them without the API's checks.
    init(query: String) {
        let pairs = query.utf8.split(separator: UInt8(ascii: "&"), maxSplits: Self.maxCountInQuery)
        for pair in pairs.prefix(Self.maxCountInQuery) { add(pair, droppingNUL: true) }
    }

    /// Decodes a field and adds it, unless its encoding is invalid.
    private mutating func add(_ pair: Substring.UTF8View, droppingNUL: Bool) {
        let name = pair.prefix { $0 != UInt8(ascii: "=") }
        guard let decodedName = Self.decode(name, droppingNUL: droppingNUL),
            let value = Self.decode(pair.dropFirst(name.count + 1), droppingNUL: droppingNUL)
        else { return }
        add(decodedName, value)
    }

    /// Adds a field, unless it has too many combining marks in a row. CRLF in the value becomes LF, and nothing else is
    /// changed. The API refuses characters that can't be stored, such as NUL.
    mutating func add(_ name: String, _ value: String) {
        guard StreamSafeText.isSafe(name), StreamSafeText.isSafe(value) else {
            hasTooManyMarks = true
            return
        }
        let value = value.utf8.contains(UInt8(ascii: "\r")) ? Self.replacingLineEnds(in: value) : value
        fields.append((name, value))
        valueBytes += value.utf8.count
        byName[name, default: []].append(value)
    }

    private static func replacingLineEnds(in value: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(value.utf8.count)
        for byte in value.utf8 {
            if byte == UInt8(ascii: "\n"), bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The first value of the name.
    subscript(name: String) -> String? { byName[name]?.first }

    func values(_ name: String) -> [String] { byName[name] ?? [] }

    /// The fields in their order, without the excluded names.
    func pairs(excluding names: Set<String>) -> [(name: String, value: String)] {
        fields.filter { !names.contains($0.name) }
    }

    /// The fields as a query string with its question mark, without the excluded names. Empty without fields.
    func queryString(excluding names: Set<String> = []) -> String {
        PathQuery(pairs(excluding: names)).text
    }

    /// Decodes byte by byte, because a large form has millions of bytes. Nil if an escape or the UTF-8 is invalid.
    private static func decode(_ text: Substring.UTF8View, droppingNUL: Bool) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text.makeIterator()
        while var byte = rest.next() {
            if byte == UInt8(ascii: "+") {
                byte = UInt8(ascii: " ")
            } else if byte == UInt8(ascii: "%") {
                guard let high = rest.next().flatMap(PercentEncoding.digit),
                    let low = rest.next().flatMap(PercentEncoding.digit)
                else { return nil }
                byte = high << 4 | low
            }
            if byte == 0, droppingNUL { continue }
            bytes.append(byte)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
