import Synchronization

/// Standard error as a stream of lines. Each text that is written is one line: control characters in it are escaped, so
/// that it can neither look like several lines nor control a terminal.
struct LogLines: TextOutputStream, Sendable {
    private static let writeLock = Mutex(())

    func write(_ line: String) {
        let text = Self.escaped(line.last == "\n" ? line.dropLast() : line[...])
        Self.writeLock.withLock { _ in Terminal.printError(text) }
    }

    /// Replaces control characters, and Unicode's separators of lines and paragraphs, with escapes as in JSON.
    static func escaped(_ text: Substring) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch (scalar, scalar.properties.generalCategory) {
            case ("\n", _): escaped.append(contentsOf: #"\n"#.unicodeScalars)
            case ("\r", _): escaped.append(contentsOf: #"\r"#.unicodeScalars)
            case ("\t", _): escaped.append(contentsOf: #"\t"#.unicodeScalars)
            case (_, .control), (_, .lineSeparator), (_, .paragraphSeparator):
                let digits = String(scalar.value, radix: 16)
                let zeros = String(repeating: "0", count: 4 - digits.count)
                escaped.append(contentsOf: (#"\u"# + zeros + digits).unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
