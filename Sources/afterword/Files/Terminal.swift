import Foundation
import StrictJSON

/// The three standard streams, written without a buffer, so that a line is there when it is said.
enum Terminal {
    /// Whether somebody may be looking at the messages.
    static var showsErrors: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether somebody looks at the answers themselves.
    static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// An answer, on the standard output.
    static func print(_ text: String) { write(text + "\n", to: .standardOutput) }

    static func print(_ value: JSONValue) { print(value.text) }

    /// A message that is no answer, on the standard error.
    static func complain(_ text: String) { write(text + "\n", to: .standardError) }

    static func draw(_ text: String) { write(text, to: .standardError) }

    /// A line typed at the terminal without being shown; nil when there is no terminal.
    static func ask(_ prompt: String) -> String? {
        guard isatty(STDIN_FILENO) == 1, let line = getpass(prompt) else { return nil }
        return String(cString: line)
    }

    /// A reader that has gone away wants no more, which is no failure.
    private static func write(_ text: String, to handle: FileHandle) {
        try? handle.write(contentsOf: Data(text.utf8))
    }

    /// Columns as wide as their longest cell, two spaces apart.
    static func table(_ rows: [[String]]) -> String {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let isLast = column == row.count - 1
                line += isLast ? cell : cell + String(repeating: " ", count: widths[column] - cell.count + 2)
            }
            return line
        }.joined(separator: "\n")
    }
}
