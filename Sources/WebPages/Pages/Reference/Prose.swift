/// A description in the API's document: paragraphs between empty lines, code between backticks.
enum Prose {
    /// The names of the template `docs-prose`.
    struct Paragraph: TemplateValues {
        var parts: [Part]
    }

    /// Either words or code.
    struct Part: TemplateValues {
        var words: String?
        var code: String?
    }

    static func paragraphs(_ text: String?) -> [Paragraph] {
        guard let text else { return [] }
        var paragraphs: [[Substring]] = [[]]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.allSatisfy(\.isWhitespace) {
                paragraphs.append([])
            } else {
                paragraphs[paragraphs.count - 1].append(line)
            }
        }
        return paragraphs.filter { !$0.isEmpty }.map { Paragraph(parts: parts($0.joined(separator: " "))) }
    }

    /// Every second piece between backticks is code. A single backtick is text.
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
