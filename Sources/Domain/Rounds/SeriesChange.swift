import StrictJSON

/// What an editor changes of a series; what is nil stays.
public struct SeriesChange: Sendable, Equatable {
    public var title: String?

    public init(title: String? = nil) {
        self.title = title
    }

    /// Reads the body of `PATCH /v1/series/{id}`; throws a `Problem` with all its faults.
    public static func read(_ body: JSONValue) throws(Problem) -> SeriesChange {
        let reader = ObjectReader(body)
        var change = SeriesChange()
        if reader.has("title") || reader.isNull("title") {
            change.title = reader.requiredText("title", atMost: Limits.title)
        }
        let faults = reader.finish()
        guard faults.isEmpty else { throw Problem(faults) }
        return change
    }
}
