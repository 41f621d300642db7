import Foundation
import StrictJSON

/// Unbuffered output to the standard streams, so that each line appears immediately.
enum Terminal {
    /// Whether standard error is a terminal.
    static var isErrorStreamInteractive: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether standard output is a terminal.
    static var isOutputStreamInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Prints a result to standard output.
    static func print(_ text: String) { write(text + "\n", to: .standardOutput) }

    static func print(_ value: JSONValue) { print(value.text) }

    /// Prints a message to standard error.
    static func printError(_ text: String) { write(text + "\n", to: .standardError) }

    static func draw(_ text: String) { write(text, to: .standardError) }

    /// Reads a line from the terminal without echo. Nil if there is no terminal.
    static func ask(_ prompt: String) -> String? {
        guard isatty(STDIN_FILENO) == 1, let line = getpass(prompt) else { return nil }
        return String(cString: line)
    }

    /// Errors are ignored, because a reader that closed the pipe wants no more output.
    private static func write(_ text: String, to handle: FileHandle) {
        try? handle.write(contentsOf: Data(text.utf8))
    }

    /// Aligns columns to their longest cell, two spaces apart.
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
