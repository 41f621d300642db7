/// Parses a description in the OpenAPI document. Empty lines separate paragraphs, and code is between backticks.
enum Prose {
    /// The values of the template `docs-prose`.
    struct Paragraph: TemplateValues {
        var parts: [Part]
    }

    /// Text or code. One of the two properties is nil.
    struct Part: TemplateValues {
        var words: String?
        var code: String?
    }

    static func paragraphs(_ text: String?) -> [Paragraph] {
        let lines = (text ?? "").split(separator: "\n", omittingEmptySubsequences: false)
        return lines.split { $0.allSatisfy(\.isWhitespace) }.map { Paragraph(parts: parts($0.joined(separator: " "))) }
    }

    /// Splits a paragraph at backticks. An unpaired backtick is part of the text.
    static func parts(_ text: String) -> [Part] {
        var pieces = text.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
        if pieces.count.isMultiple(of: 2) {
            let last = pieces.removeLast()
            pieces[pieces.count - 1] += "`" + last
        }
        return pieces.enumerated().filter { !$0.element.isEmpty }.map { index, piece in
            index.isMultiple(of: 2) ? Part(words: piece) : Part(code: piece)
        }
    }
}
