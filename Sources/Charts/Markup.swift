/// Writes XML. All attributes and texts are escaped.
struct Markup {
    typealias Attributes = KeyValuePairs<String, String?>

    private(set) var text = ""

    /// Writes a start tag. Attributes with a nil value are omitted.
    mutating func open(_ name: String, _ attributes: Attributes = [:]) {
        text += "<\(name)\(Self.written(attributes))>"
    }

    mutating func close(_ name: String) { text += "</\(name)>" }

    /// Writes an element with text, or an empty element.
    mutating func leaf(_ name: String, _ attributes: Attributes, _ content: String? = nil) {
        text += "<\(name)\(Self.written(attributes))"
        if let content { text += ">\(Self.escaped(content))</\(name)>" } else { text += "/>" }
    }

    /// Appends XML as it is.
    mutating func append(_ markup: String) { text += markup }

    private static func written(_ attributes: Attributes) -> String {
        attributes.map { name, value in value.map { " \(name)=\"\(escaped($0))\"" } ?? "" }.joined()
    }

    /// Escapes the text and drops characters that XML can't represent.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\u{0}"..."\u{8}", "\u{b}", "\u{c}", "\u{e}"..."\u{1f}", "\u{fffe}", "\u{ffff}": break
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
