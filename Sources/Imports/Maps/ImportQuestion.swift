import StrictJSON

/// One question of a map: where its answers stand, and its definition as the form will have it.
public struct ImportQuestion: Sendable {
    public enum Source: Sendable {
        /// One column with the answer itself.
        case column(String)
        /// A column of yes or no for each option, in the map's order.
        case options([(id: String, column: String)])
    }

    public var key: String
    public var kind: String
    public var source: Source
    /// The column with the text of “other”.
    public var otherColumn: String?
    public var guarded: Bool
    /// The question as a form's JSON has it; its options are a placeholder if the file has to tell them.
    public var definition: JSONValue
    /// Whether the options are made from the column's values.
    public var derivesOptions: Bool

    /// The definition with these options instead of the placeholder.
    func definition(options: [JSONValue]) -> JSONValue {
        Self.setting("options", .array(options), in: definition)
    }

    static func setting(_ name: String, _ value: JSONValue, in object: JSONValue) -> JSONValue {
        var members = object.members ?? []
        members.removeAll { $0.name == name }
        members.append(JSONValue.Member(name, value))
        return .object(members)
    }

    static func option(id: String, label: String) -> JSONValue {
        .object([JSONValue.Member("id", .string(id)), JSONValue.Member("label", .string(label))])
    }
}
