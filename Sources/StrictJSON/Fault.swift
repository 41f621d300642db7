/// One validation error, with a pointer to its place in the input.
public struct Fault: Error, Sendable, Equatable {
    /// The largest number of faults in one response. Megabytes of invalid input must not cause megabytes of output.
    public static let maximumReported = 100

    /// Malformed input (400) or a violated rule (422).
    public enum Kind: Sendable, Equatable {
        case malformed
        case invalid
    }

    public var kind: Kind
    /// An RFC 6901 JSON pointer into the body, such as `/answers/pace`, or a query parameter, such as `?limit`.
    public var pointer: String
    /// A stable code in kebab case, such as `unknown-field`, `required` or `too-long`.
    public var code: String
    /// One sentence, which never contains another person's data.
    public var detail: String

    public init(_ kind: Kind, at pointer: String, code: String, _ detail: String) {
        self.kind = kind
        self.pointer = pointer
        self.code = code
        self.detail = detail
    }
}

/// JSON pointers (RFC 6901), the path from the root of a document to a value.
public enum JSONPointer {
    /// `/name`, with `~` and `/` escaped.
    public static func token(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
            return "/" + name
        }
        // By Unicode scalar, because a tilde or slash with a combining mark is a different `Character`.
        return name.unicodeScalars.reduce(into: "/") { pointer, scalar in
            switch scalar {
            case "~": pointer += "~0"
            case "/": pointer += "~1"
            default: pointer.unicodeScalars.append(scalar)
            }
        }
    }
}
