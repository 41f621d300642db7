/// RFC 6901: the way from the root of a JSON text to one of its values.
public enum JSONPointer {
    /// `/name`, with `~` and `/` escaped.
    public static func token(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
            return "/" + name
        }
        return name.reduce(into: "/") { pointer, character in
            switch character {
            case "~": pointer += "~0"
            case "/": pointer += "~1"
            default: pointer.append(character)
            }
        }
    }
}
