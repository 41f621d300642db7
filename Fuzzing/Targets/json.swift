import Foundation
import StrictJSON

extension FuzzTarget {
    /// JSON texts: Foundation also accepts each accepted text, and a value is unchanged after it is written and read
    /// again.
    static let json: Run = { input in
        guard let value = try? JSONValue.parse(input.bytes) else { return }
        law(String(validating: input.bytes, as: UTF8.self) != nil, "An accepted text is UTF-8.")
        let written = value.bytes
        let again = try? JSONValue.parse(written)
        law(again?.bytes == written, "A written value is written again as the same bytes.")
        law(again == value, "A written value is read as an equal value.")
        let object = try? JSONSerialization.jsonObject(with: Data(input.array), options: [.fragmentsAllowed])
        law(object != nil || isBeyondFoundation(value), "Foundation accepts each accepted text.")
        law(object.map { matches(value, $0) } ?? true, "Foundation reads the same value.")
        law(depth(value) <= 32, "The depth is limited.")
        checkNumbers(value)
        readMembers(value)
    }

    /// Whether a number is outside the range of doubles. Foundation refuses such a number; StrictJSON keeps its text.
    private static func isBeyondFoundation(_ value: JSONValue) -> Bool {
        switch value {
        case .number: value.double == nil
        case .array(let elements): elements.contains(where: isBeyondFoundation)
        case .object(let members): members.contains { isBeyondFoundation($0.value) }
        default: false
        }
    }

    /// Compares with a value of `JSONSerialization`, whose objects have no member order and one member of each name.
    private static func matches(_ value: JSONValue, _ object: Any) -> Bool {
        switch (value, object) {
        case (.null, is NSNull): true
        case (.bool(let bool), let number as NSNumber): number.boolValue == bool
        case (.number, let number as NSNumber): value.double.map { isNear($0, number.doubleValue) } ?? true
        case (.string(let text), let string as String): isSame(withoutMarks(text), withoutMarks(string))
        case (.array(let elements), let array as [Any]):
            elements.count == array.count && zip(elements, array).allSatisfy { matches($0, $1) }
        case (.object(let members), let dictionary as [String: Any]):
            members.allSatisfy { member in
                members.count { $0.name == member.name } > 1 || withoutMarks(member.name) != member.name
                    || dictionary[member.name].map { matches(member.value, $0) } ?? false
            }
        default: false
        }
    }

    /// Foundation leaves out a byte order mark at the beginning of a string and after an escape, where StrictJSON keeps
    /// the character. So strings are compared without these marks.
    private static func withoutMarks(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{FEFF}" }))
    }

    /// Whether the numbers are equal up to rounding. Foundation reads long numbers with less than the precision of
    /// doubles.
    private static func isNear(_ left: Double, _ right: Double) -> Bool {
        abs(left - right) <= abs(left) * 1e-14
    }

    private static func depth(_ value: JSONValue) -> Int {
        switch value {
        case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
        case .object(let members): 1 + (members.map { depth($0.value) }.max() ?? 0)
        default: 0
        }
    }

    private static func checkNumbers(_ value: JSONValue) {
        switch value {
        case .number:
            guard let int = value.int, int.magnitude < 1 << 53 else { break }
            law(value.double == Double(int), "An integer is the same as a double.")
        case .array(let elements): elements.forEach(checkNumbers)
        case .object(let members): members.forEach { checkNumbers($0.value) }
        default: break
        }
    }

    /// Reads every second member as each type, as requests do. The other members remain unread and are reported.
    private static func readMembers(_ value: JSONValue) {
        let reader = ObjectReader(value)
        for (index, member) in (value.members ?? []).enumerated() where index.isMultiple(of: 2) {
            _ = (reader.string(member.name), reader.int(member.name), reader.double(member.name))
            _ = (reader.date(member.name), reader.bool(member.name), reader.isNull(member.name))
            _ = (reader.object(member.name)?.requiredInt("a"), reader.objects(member.name)?.count)
        }
        let faults = reader.finish()
        law(faults.count <= Fault.maximumReported + 1, "The number of faults is limited.")
        law(faults.allSatisfy { isPointer($0.pointer) }, "A fault has a JSON pointer.")
    }

    /// Whether the text is a JSON pointer (RFC 6901, section 3): a slash precedes each token, and 0 or 1 follows each
    /// tilde.
    static func isPointer(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return [nil, UInt8(ascii: "/")].contains(bytes.first)
            && bytes.indices.allSatisfy { index in
                bytes[index] != UInt8(ascii: "~") || index + 1 < bytes.count && 0x30...0x31 ~= bytes[index + 1]
            }
    }
}
