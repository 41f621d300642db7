/// A title with placeholders such as `{column}` for a row's values.
public struct TitleTemplate: Sendable, Equatable {
    enum Part: Sendable, Equatable {
        case text(String)
        case column(String)
    }

    /// The largest number of columns that a title of a map names.
    static let maxColumns = 200

    /// The template as written in the map.
    let source: String
    let parts: [Part]

    /// Returns nil if a brace is unbalanced or a placeholder is empty.
    init?(_ text: String) {
        var parts: [Part] = []
        var remaining = text[...]
        while let open = remaining.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard remaining[open] == "{", let close = remaining[open...].firstIndex(of: "}") else { return nil }
            let name = remaining[remaining.index(after: open)..<close]
            guard !name.isEmpty, !name.contains("{") else { return nil }
            if open > remaining.startIndex { parts.append(.text(String(remaining[..<open]))) }
            parts.append(.column(String(name)))
            remaining = remaining[remaining.index(after: close)...]
        }
        if !remaining.isEmpty { parts.append(.text(String(remaining))) }
        source = text
        self.parts = parts
    }

    /// A template without placeholders. Braces are literal.
    init(literal text: String) {
        source = text
        parts = [.text(text)]
    }

    var columns: [String] {
        parts.compactMap { part in
            guard case .column(let name) = part else { return nil }
            return name
        }
    }

    func text(_ value: (String) -> String?) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .column(let name): value(name) ?? ""
            }
        }.joined()
    }
}
