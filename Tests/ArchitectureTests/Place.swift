/// A line of a file, printed as editors take it.
struct Place: CustomStringConvertible {
    let file: SourceFile
    let index: Int

    var description: String { "\(file.path):\(index + 1)" }

    /// Whether a comment stands on the line or ends right above it.
    var hasComment: Bool {
        let above = index > 0 ? file.lines[index - 1].drop { $0 == " " } : ""
        return file.lines[index].contains("//") || above.hasPrefix("//") || above.hasSuffix("*/")
    }
}
