/// A JSON text as a value, its members in their order and its numbers as they were written.
public enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// A number's own text, so that neither an integer nor a decimal loses a digit before it is asked for.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// One name and its value.
    public struct Member: Sendable, Equatable {
        public var name: String
        public var value: JSONValue

        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }
}
