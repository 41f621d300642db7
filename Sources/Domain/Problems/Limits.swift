/// The limits and reserved words of a form's definition.
enum Limits {
    static let title = 300
    static let description = 500
    static let intro = 2000
    static let questions = 100
    static let options = 50
    static let otherText = 1000
    static let textLength = 1...10_000
    static let graceMinutes = 0...1440
    /// Up to 366 days before or after the meeting.
    static let offsetMinutes = -527_040...527_040
    /// The fixed columns of the `submissions` export.
    static let reservedKeys: Set<String> = [
        "id", "submitted_at", "form_version", "name", "email", "round", "meeting",
    ]
    /// The bucket of a participant's own words.
    static let otherOption = "other"
    /// In exports, `key.other` and `key.other_text` are the columns of those words.
    static let reservedOptions: Set<String> = [otherOption, "other_text"]

    static func minimumGroup(anonymous: Bool) -> ClosedRange<Int> { (anonymous ? 3 : 1)...1000 }

    /// `^[a-z][a-z0-9_]{0,39}$`
    static func isKey(_ text: String) -> Bool {
        guard 1...40 ~= text.utf8.count, let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy {
            isLetter($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "_")
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
    }

    /// Whether a text has at most this many user-perceived characters. A text with few bytes is accepted without
    /// counting characters.
    static func fits(_ text: String, _ limit: Int) -> Bool {
        text.utf8.count <= limit
            || text.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex).map { $0 == text.endIndex }
                ?? true
    }

    /// Whether a text fits the limit, and has at most ten code points per allowed character. The database limits code
    /// points, of which a single character can have any number.
    static func isStorable(_ text: String, _ limit: Int) -> Bool {
        fits(text, limit) && (text.utf8.count <= 10 * limit || text.unicodeScalars.count <= 10 * limit)
    }

    static func isBlank(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.properties.isWhitespace }
    }

    /// The text without white space at its ends.
    static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }
}
