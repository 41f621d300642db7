import StrictJSON

/// The description of a meeting's image, for people who do not see it above the form.
public struct PictureDescription: Sendable, Equatable {
    /// The longest description, in characters as people count them.
    public static let maxLength = 300

    /// Empty if the image says nothing that matters.
    public var alt: String

    /// Parses the body of `PATCH /v1/meetings/{id}/image`. Throws a `Problem` with all errors.
    public static func read(_ body: JSONValue) throws(Problem) -> PictureDescription {
        let reader = ObjectReader(body)
        reader.require("alt")
        let alt = reader.text("alt", atMost: maxLength)
        return PictureDescription(alt: try reader.requireNoFaults(reading: alt))
    }
}
