import StrictJSON

/// An editor's change of a series. Nil leaves a field unchanged.
public struct SeriesChange: Sendable, Equatable {
    public var title: String?

    /// Parses the body of `PATCH /v1/series/{id}`; throws a `Problem` with all errors.
    public static func read(_ body: JSONValue) throws(Problem) -> SeriesChange {
        let reader = ObjectReader(body)
        var change = SeriesChange()
        if reader.has("title") || reader.isNull("title") {
            change.title = reader.requiredText("title", atMost: Limits.title)
        }
        try reader.requireNoFaults()
        return change
    }
}
