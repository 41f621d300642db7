/// The name of an organisation as pages show it: 1 to 60 characters on one line, without surrounding spaces.
public struct OrganisationName: Sendable, Equatable {
    /// The longest name, in characters as people count them.
    public static let limit = 60

    public let text: String

    /// Nil if the name is too long, blank, or has control characters or line breaks.
    public init?(_ typed: String) {
        text = Limits.trimmed(typed)
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        guard isPlain, !text.isEmpty, Limits.isStorable(text, Self.limit) else { return nil }
    }

    /// Whether nothing was typed.
    public static func isBlank(_ typed: String) -> Bool { Limits.isBlank(typed) }
}
