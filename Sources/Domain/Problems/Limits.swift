/// The limits and reserved words of forms, and limits on texts and settings.
public enum Limits {
    static let title = 300
    static let description = 500
    static let intro = 2000
    static let questions = 100
    /// The largest number of statements of a grid.
    static let statements = 20
    public static let options = 50
    /// The largest number of tests in the condition of one question.
    static let conditionTests = 20
    /// The largest numbers of questions and options in all versions of a form together. The results show them all.
    static let questionsOfAllVersions = 500
    static let optionsOfAllVersions = 20_000
    /// The size of the titles and labels of all versions, in bytes.
    static let wordingOfAllVersions = 4 << 20
    /// The largest number of characters of an answer to a choice in the participant's own words.
    public static let otherText = 1000
    static let textLength = 1...10_000
    static let graceMinutes = 0...1440
    /// Up to 366 days before or after the meeting.
    static let offsetMinutes = -527_040...527_040
    /// Not less than the seven days after which an anonymous form becomes final.
    public static let retentionDays = 7...3650
    /// The number of days for which deleted meetings and series can be restored.
    public static let trashDays = 1...3650
    /// The fixed columns of the `submissions` export.
    public static let reservedKeys: Set<String> = [
        "id", "submitted_at", "form_version", "name", "email", "round", "meeting",
    ]
    /// The bucket of a participant's own words.
    static let otherOption = "other"
    /// The answer of a participant who cannot or does not want to rate, in submissions, filters and exports.
    public static let abstention = "abstain"
    /// In exports, `key.other` and `key.other_text` are the columns of a participant's own words.
    public static let reservedOptions: Set<String> = [otherOption, "other_text"]

    /// The largest allowed number of UTF-8 bytes in a text of this many user-perceived characters: ten code points of
    /// four bytes for each character. The longest emoji have ten code points in 35 bytes.
    public static func maxBytes(characters: Int) -> Int {
        let (bytes, isTooLarge) = characters.multipliedReportingOverflow(by: 40)
        return isTooLarge ? Int.max : bytes
    }

    static func minimumGroup(anonymous: Bool) -> ClosedRange<Int> { (anonymous ? 3 : 1)...1000 }

    /// The largest number of bytes of a question's key or an option's id. Longer texts are not looked up, because hashing
    /// takes long.
    static let keyLength = 40

    /// `^[a-z][a-z0-9_]{0,39}$`
    static func isKey(_ text: String) -> Bool {
        guard 1...keyLength ~= text.utf8.count, let first = text.utf8.first, isLowercase(first) else { return false }
        return text.utf8.allSatisfy {
            isLowercase($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "_")
        }
    }

    private static func isLowercase(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
    }

    /// Whether a text has at most `limit` user-perceived characters and at most `maxBytes(characters:)` bytes, because
    /// one character can have any number of code points. Bytes are compared first: counting them is cheap.
    static func fits(_ text: String, _ limit: Int) -> Bool {
        let bytes = text.utf8.count
        if bytes <= limit { return true }
        guard bytes <= maxBytes(characters: limit) else { return false }
        return text.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex).map { $0 == text.endIndex }
            ?? true
    }

    /// Whether a text fits the limit, and has at most ten code points per allowed character. The database limits the
    /// code points of names and titles.
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
