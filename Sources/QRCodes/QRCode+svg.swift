extension QRCode {
    /// Black on white at any size, as one path; the title is read aloud in its place.
    public func svg(title: String) -> String {
        let zone = Self.quietZone
        let path = (0..<size).map { y in
            runs(y).map { "M\($0.lowerBound + zone) \(y + zone)h\($0.count)v1h-\($0.count)z" }.joined()
        }.joined()
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(fullSize) \(fullSize)" role="img" \
            shape-rendering="crispEdges"><title>\(Self.escaped(title))</title>\
            <path fill="#fff" d="M0 0h\(fullSize)v\(fullSize)H0z"/><path fill="#000" d="\(path)"/></svg>

            """
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            // XML has no way to write them.
            case "\u{0}"..."\u{8}", "\u{b}", "\u{c}", "\u{e}"..."\u{1f}", "\u{fffe}", "\u{ffff}": break
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
