/// Descriptions as the API's document has them: paragraphs between empty lines, code between backticks.
enum Prose {
    /// For templates: `{{#paragraphs}}<p>{{#parts}}…{{/parts}}</p>{{/paragraphs}}`.
    static func paragraphs(_ text: String?) -> [[String: Any]] {
        guard let text else { return [] }
        var paragraphs: [[Substring]] = [[]]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.allSatisfy(\.isWhitespace) {
                paragraphs.append([])
            } else {
                paragraphs[paragraphs.count - 1].append(line)
            }
        }
        return paragraphs.filter { !$0.isEmpty }.map { ["parts": parts($0.joined(separator: " "))] }
    }

    /// Every second piece between backticks is code; a backtick without its other one is only a backtick.
    static func parts(_ text: String) -> [[String: Any]] {
        var pieces = text.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
        if pieces.count.isMultiple(of: 2) {
            let last = pieces.removeLast()
            pieces[pieces.count - 1] += "`" + last
        }
        return pieces.enumerated().filter { !$0.element.isEmpty }.map { index, piece in
            index.isMultiple(of: 2) ? ["words": piece] : ["code": piece]
        }
    }
}
