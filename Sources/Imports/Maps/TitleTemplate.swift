/// A title with placeholders such as `{column}` for a row's values.
public struct TitleTemplate: Sendable, Equatable {
    enum Part: Sendable, Equatable {
        case text(String)
        case column(String)
    }

    /// The largest number of columns that a title of a map names.
    static let maxColumns = 200
    /// The number of Unicode scalars after which a title is cut. It is refused then, because it has more than 300
    /// characters. A title may name a column with long cells many times.
    private static let maxScalars = 10_000

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

    /// The title of a row, cut if it is too long for any title.
    func text(_ value: (String) -> String?) -> String {
        var title = String.UnicodeScalarView()
        var remaining = Self.maxScalars
        for part in parts where remaining > 0 {
            let text =
                switch part {
                case .text(let text): text
                case .column(let name): value(name) ?? ""
                }
            let added = text.unicodeScalars.prefix(remaining)
            remaining -= added.count
            title.append(contentsOf: added)
        }
        return String(title)
    }
}
