/// The limit on combining marks in untrusted texts (UAX #15, section 13, Stream-Safe Text Format).
///
/// `String` compares and hashes texts in normal form C, for which it sorts each run of combining marks by insertion. A
/// run of tens of thousands of marks takes seconds. So an untrusted text is checked before it is compared or hashed.
public enum StreamSafeText {
    /// The largest number of combining marks in a row. The writing of no language needs more than a few.
    public static let longestRun = 30

    /// Whether no run of combining marks is longer than `longestRun`. The time is linear in the length of the text.
    public static func isSafe(_ text: String) -> Bool {
        // The bytes of U+0300 and of all later characters begin with 0xCC or more. All earlier ones are starters.
        guard text.utf8.contains(where: { $0 >= 0xCC }) else { return true }
        var run = 0
        for scalar in text.unicodeScalars {
            if isMark(scalar) {
                run += 1
                if run > longestRun { return false }
            } else {
                run = 0
            }
        }
        return true
    }

    /// Whether the normal form of the character begins with a non-starter, a character that is sorted.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Blocks without marks: Latin, Chinese characters, Hangul, emoji. They need no look-up.
        case 0..<0x300, 0x3100...0x9FFF, 0xAC00...0xD7FF, 0x1F000...0x3FFFF: false
        // Starters that are replaced by marks.
        case 0x0F73, 0x0F75, 0x0F81, 0xFF9E, 0xFF9F: true
        default: scalar.properties.canonicalCombiningClass != .notReordered
        }
    }
}
