/// A recursive-descent parser for RFC 8259. It also rejects what the RFC leaves to implementations, such as duplicate
/// names.
///
/// It uses indices into one buffer. A body of a few hundred bytes takes about a microsecond, which is why the hot path
/// does not use `JSONDecoder`.
struct JSONParser {
    /// The error and its position. The path is built while unwinding, so it costs nothing for valid input.
    struct Failure: Error {
        var code: String
        var offset: Int
        var reason: String
        var path: [String] = []

        var fault: Fault {
            let pointer = path.reversed().reduce(into: "") { $0 += JSONPointer.token($1) }
            return Fault(.malformed, at: pointer, code: code, "\(reason) at byte \(offset).")
        }
    }

    let bytes: UnsafeBufferPointer<UInt8>
    let maxDepth: Int
    let maxValues: Int
    var index = 0
    var depth = 0
    var valueCount = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>, maxDepth: Int, maxValues: Int) {
        self.bytes = bytes
        self.maxDepth = maxDepth
        self.maxValues = maxValues
    }

    mutating func parseDocument() throws(Failure) -> JSONValue {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw failure("A byte order mark is not JSON") }
        skipSpace()
        let value = try parseValue()
        skipSpace()
        guard index == bytes.count else { throw failure("Something follows the JSON value") }
        return value
    }

    mutating func parseValue() throws(Failure) -> JSONValue {
        valueCount += 1
        guard valueCount <= maxValues else { throw failure("The JSON text has more than \(maxValues) values") }
        guard index < bytes.count else { throw failure("The JSON text ends too early") }
        switch bytes[index] {
        case UInt8(ascii: "{"): return try parseObject()
        case UInt8(ascii: "["): return try parseArray()
        case UInt8(ascii: "\""): return .string(try parseString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
        case UInt8(ascii: "t"): return try parseLiteral("true", .bool(true))
        case UInt8(ascii: "f"): return try parseLiteral("false", .bool(false))
        case UInt8(ascii: "n"): return try parseLiteral("null", .null)
        default: throw failure("A JSON value was expected")
        }
    }

    private mutating func parseObject() throws(Failure) -> JSONValue {
        try enter()
        var members: [JSONValue.Member] = []
        var names = MemberNames()
        if takeEnd(of: UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipSpace()
            let start = index
            guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
                throw failure("A member name was expected")
            }
            let name = try parseString()
            guard names.insert(name, after: members) else {
                throw Failure(code: "duplicate-field", offset: start, reason: "The member is given twice", path: [name])
            }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw failure("A colon was expected") }
            skipSpace()
            do {
                members.append(JSONValue.Member(name, try parseValue()))
            } catch {
                throw error.inside(name)
            }
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw failure("A comma or a closing brace was expected") }
        depth -= 1
        return .object(members)
    }

    private mutating func parseArray() throws(Failure) -> JSONValue {
        try enter()
        var elements: [JSONValue] = []
        if takeEnd(of: UInt8(ascii: "]")) { return .array(elements) }
        repeat {
            skipSpace()
            do {
                elements.append(try parseValue())
            } catch {
                throw error.inside(String(elements.count))
            }
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw failure("A comma or a closing bracket was expected") }
        depth -= 1
        return .array(elements)
    }

    private mutating func enter() throws(Failure) {
        depth += 1
        guard depth <= maxDepth else { throw failure("The JSON text is nested deeper than \(maxDepth) levels") }
        index += 1
        skipSpace()
    }

    private mutating func takeEnd(of byte: UInt8) -> Bool {
        guard take(byte) else { return false }
        depth -= 1
        return true
    }

    private mutating func parseLiteral(_ text: StaticString, _ value: JSONValue) throws(Failure) -> JSONValue {
        let count = text.utf8CodeUnitCount
        guard bytes.count - index >= count else { throw failure("A JSON value was expected") }
        for offset in 0..<count where bytes[index + offset] != text.utf8Start[offset] {
            throw failure("A JSON value was expected")
        }
        index += count
        return value
    }

    private mutating func parseNumber() throws(Failure) -> JSONValue {
        let start = index
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try skipDigits() }
        if take(UInt8(ascii: ".")) { try skipDigits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try skipDigits()
        }
        return .number(String(decoding: bytes[start..<index], as: UTF8.self))
    }

    private mutating func skipDigits() throws(Failure) {
        let start = index
        while index < bytes.count, bytes[index] &- UInt8(ascii: "0") <= 9 { index += 1 }
        guard index > start else { throw failure("A digit was expected") }
    }

    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    @inline(__always)
    private mutating func skipSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x0A, 0x0D, 0x09: index += 1
            default: return
            }
        }
    }

    /// A failure at the current position. Invalid UTF-8 is reported as such even where a token was expected.
    func failure(_ reason: String) -> Failure {
        if index < bytes.count, bytes[index] >= 0x80, String(validating: bytes[index...], as: UTF8.self) == nil {
            return Failure(code: "invalid-utf8", offset: index, reason: "The text is not UTF-8")
        }
        return Failure(code: "invalid-json", offset: index, reason: reason)
    }
}

extension JSONParser.Failure {
    /// Only duplicates have a pointer. Syntax errors are located by byte offset.
    fileprivate func inside(_ token: String) -> Self {
        guard code == "duplicate-field" else { return self }
        var outer = self
        outer.path.append(token)
        return outer
    }
}

/// The member names of one object. A small number of names is compared one by one. A larger number is hashed, so that
/// hostile objects with many names take linear time.
private struct MemberNames {
    /// A name that is compared by its bytes (RFC 8259, section 8.3), because normal forms take much longer.
    private struct Name: Hashable {
        let text: String

        static func == (left: Name, right: Name) -> Bool {
            left.text.utf8.count == right.text.utf8.count && left.text.utf8.elementsEqual(right.text.utf8)
        }

        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    private static let maximumLinear = 16
    private var hashedNames: Set<Name>?

    mutating func insert(_ name: String, after members: [JSONValue.Member]) -> Bool {
        let name = Name(text: name)
        if members.count < Self.maximumLinear { return !members.contains { Name(text: $0.name) == name } }
        if hashedNames == nil { hashedNames = Set(members.map { Name(text: $0.name) }) }
        return hashedNames?.insert(name).inserted ?? true
    }
}
