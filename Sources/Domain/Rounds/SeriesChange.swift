import StrictJSON

/// An editor's change of a series. Nil leaves a field unchanged.
public struct SeriesChange: Sendable, Equatable {
    public var title: String?
    /// The number of days from the close of a form until its answers are deleted. `.set(nil)` means that they are kept,
    /// unless the service has a limit.
    public var retentionDays = Change<Int>.unchanged

    /// Parses the body of `PATCH /v1/series/{id}`. Throws a `Problem` with all errors.
    public static func read(_ body: JSONValue) throws(Problem) -> SeriesChange {
        let reader = ObjectReader(body)
        var change = SeriesChange()
        if reader.has("title") || reader.isNull("title") {
            change.title = reader.requiredText("title", atMost: Limits.title)
        }
        change.retentionDays = reader.change("retentionDays") { reader.int($0, in: Limits.retentionDays) }
        try reader.requireNoFaults()
        return change
    }
}
