/// Finds the answers of a submission in their stored JSON text, in one pass and without copying.
///
/// It understands only the notation in which PostgreSQL writes the answers that `Answers.text` stores: integers without
/// an exponent, texts, and choices as an id, an object with `other`, or a list of ids and such objects. If it finds
/// anything else, it stops before the end, and the answers have to be read as JSON.
struct StoredAnswerScanner {
    /// A string without its quotes.
    struct Text {
        var range: Range<Int>
        var hasEscapes: Bool
    }

    enum Answer {
        case integer(Range<Int>)
        /// A text, or the id of a single choice.
        case string(Text)
        /// Selections as a range of the list of ids, and the participant's own words.
        case selections(Range<Int>, other: Text?)
    }

    let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    /// Whether the whole text was scanned.
    private(set) var isComplete = false

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Returns the key and answer of the next question. Returns nil at the end, or at an unknown notation.
    ///
    /// - Parameter ids: A list to which the ids of selections are added.
    mutating func next(_ ids: inout [Range<Int>]) -> (key: Range<Int>, answer: Answer)? {
        if index == 0 {
            guard take("{") else { return nil }
            if take("}") {
                isComplete = index == bytes.count
                return nil
            }
        } else if !take(", ") {
            isComplete = take("}") && index == bytes.count
            return nil
        }
        guard let key = string(), !key.hasEscapes, take(": "), let answer = answer(&ids) else { return nil }
        return (key.range, answer)
    }

    private mutating func answer(_ ids: inout [Range<Int>]) -> Answer? {
        guard index < bytes.count else { return nil }
        switch bytes[index] {
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "["): return list(&ids)
        case UInt8(ascii: "{"): return other().map { .selections(0..<0, other: $0) }
        default: return integer().map { .integer($0) }
        }
    }

    private mutating func list(_ ids: inout [Range<Int>]) -> Answer? {
        let first = ids.count
        var otherText: Text?
        guard take("[") else { return nil }
        if take("]") { return .selections(first..<first, other: nil) }
        repeat {
            if let id = string() {
                guard !id.hasEscapes else { return nil }
                ids.append(id.range)
            } else {
                guard otherText == nil, let text = other() else { return nil }
                otherText = text
            }
        } while take(", ")
        return take("]") ? .selections(first..<ids.count, other: otherText) : nil
    }

    /// `{"other": "…"}`
    private mutating func other() -> Text? {
        guard take("{\"other\": "), let text = string(), take("}") else { return nil }
        return text
    }

    /// A number as `String(Int)` writes it, with at most 18 digits, so that it fits into an `Int`.
    private mutating func integer() -> Range<Int>? {
        let start = index
        let isNegative = take("-")
        let firstDigit = index
        while index < bytes.count, bytes[index] &- UInt8(ascii: "0") <= 9 { index += 1 }
        guard 1...18 ~= index - firstDigit,
            bytes[firstDigit] != UInt8(ascii: "0") || (index - firstDigit == 1 && !isNegative),
            index < bytes.count, bytes[index] == UInt8(ascii: ",") || bytes[index] == UInt8(ascii: "}")
        else { return nil }
        return start..<index
    }

    private mutating func string() -> Text? {
        guard take("\"") else { return nil }
        let start = index
        var hasEscapes = false
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return Text(range: start..<(index - 1), hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                index += 2
            default: index += 1
            }
        }
        return nil
    }

    @inline(__always)
    private mutating func take(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - index >= count else { return false }
        for offset in 0..<count where bytes[index + offset] != text.utf8Start[offset] { return false }
        index += count
        return true
    }
}
