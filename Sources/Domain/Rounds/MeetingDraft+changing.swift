import StrictJSON

extension MeetingDraft {
    /// Parses an edit of a meeting: absent members change nothing, and null clears optional ones.
    ///
    /// The errors are those of the resulting meeting, so that an end can be moved without its start.
    public static func read(_ edit: JSONValue, changing current: MeetingDraft) throws(Problem) -> MeetingDraft {
        let reader = ObjectReader(edit)
        for name in ["title", "timeZone", "lateAfterMinutes", "allowOverlap"] where reader.isNull(name) {
            reader.fault(at: name, code: "required", "This cannot be empty.")
        }
        var draft = current
        draft.change(by: reader)
        let faults = reader.finish()
        guard faults.isEmpty else { throw Problem(faults) }
        return draft
    }

    mutating func change(by reader: ObjectReader) {
        if reader.has("title") { title = reader.requiredText("title", atMost: 300) ?? title }
        startsAt = reader.isNull("startsAt") ? nil : reader.second("startsAt") ?? startsAt
        endsAt = reader.isNull("endsAt") ? nil : reader.second("endsAt") ?? endsAt
        timeZone = reader.string("timeZone") ?? timeZone
        if reader.has("place") || reader.isNull("place") { place = Self.place(of: reader) }
        headcount =
            reader.isNull("headcount") ? nil : reader.int("headcount", in: Self.headcounts) ?? headcount
        lateAfterMinutes = reader.int("lateAfterMinutes", in: Self.lateness) ?? lateAfterMinutes
        allowOverlap = reader.bool("allowOverlap") ?? allowOverlap
        checkTimes(reader)
    }
}
