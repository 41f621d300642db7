/// One thing wrong with an input, named so that a client can show it at its place.
public struct Fault: Error, Sendable, Equatable {
    /// How many one answer names: whoever sends nonsense by the megabyte is not answered by the megabyte.
    public static let most = 100

    /// A fault of form (400) or of a rule (422).
    public enum Kind: Sendable, Equatable {
        case malformed
        case invalid
    }

    public var kind: Kind
    /// An RFC 6901 JSON pointer into the body, such as `/answers/pace`; a query parameter is `?limit`.
    public var pointer: String
    /// A stable kebab-case word, such as `unknown-field`, `required`, `too-long`.
    public var code: String
    /// One plain sentence; never another person's value.
    public var detail: String

    public init(_ kind: Kind, at pointer: String, code: String, _ detail: String) {
        self.kind = kind
        self.pointer = pointer
        self.code = code
        self.detail = detail
    }
}

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
