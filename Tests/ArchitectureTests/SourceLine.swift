/// A line of a source file, described as `path:line`, which editors recognize.
struct SourceLine: CustomStringConvertible {
    let file: SourceFile
    let index: Int

    var description: String { "\(file.path):\(index + 1)" }

    /// Whether the line contains a comment or follows one.
    var hasComment: Bool {
        let above = index > 0 ? file.lines[index - 1].drop { $0 == " " } : ""
        return file.lines[index].contains("//") || above.hasPrefix("//") || above.hasSuffix("*/")
    }
}
