/// The placeholders of texts in catalogues: names of lower-case letters in braces, such as `{count}`.
public enum Placeholders {
    /// Replaces placeholders without a regular expression, because a page does so hundreds of times. Values are not
    /// expanded again, because they may be a host's own text.
    ///
    /// - Parameter value: Returns the value of a name; nil keeps the placeholder.
    public static func replace(in text: String, by value: (String) -> String?) -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.utf8.firstIndex(of: UInt8(ascii: "{")) {
            result += rest[..<open]
            rest = rest[open...]
            let end = rest.utf8.dropFirst().firstIndex { !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
            guard let end, rest.utf8[end] == UInt8(ascii: "}"), end > rest.utf8.index(after: open) else {
                result += "{"
                rest = rest[rest.utf8.index(after: open)...]
                continue
            }
            let close = rest.utf8.index(after: end)
            result += value(String(rest[rest.utf8.index(after: open)..<end])) ?? String(rest[..<close])
            rest = rest[close...]
        }
        return result + rest
    }
}
