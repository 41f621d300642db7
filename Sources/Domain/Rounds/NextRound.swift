import StrictJSON

/// A host's request for the next round of a series. Missing members are copied from the previous round.
public struct NextRound: Sendable, Equatable {
    public var meeting: MeetingDraft
    public var form: FormDefinition
    /// Whether the image of the previous round is copied.
    public var keepsImage: Bool

    /// Parses the body of `POST /v1/series/{id}/meetings`, in which everything is optional.
    ///
    /// Times are never copied, so a round without times is undated. The permission to overlap is not copied either,
    /// because it was given for other times. Null is treated as missing, except that it clears the place and the head
    /// count.
    public static func read(
        _ body: JSONValue, after last: MeetingDraft, asking form: FormDefinition
    ) throws(Problem) -> NextRound {
        let reader = ObjectReader(body)
        var meeting = last
        meeting.startsAt = nil
        meeting.endsAt = nil
        meeting.allowOverlap = false
        meeting.change(by: reader)
        meeting.repetition = Repetition.read(
            "repeat", of: reader, isDated: reader.has("startsAt"), until: meeting.endsAt)
        var next = NextRound(
            meeting: meeting, form: form.forNextRound(titled: meeting.title, after: last.title),
            keepsImage: reader.bool("image") ?? true)
        if let questions = MeetingDraft.questions(of: reader) { next.form.questions = questions }
        reader.add(next.form.faultsOfAnonymousConditions(at: reader.pointer(to: "questions")))
        try reader.requireNoFaults()
        return next
    }
}

extension FormDefinition {
    /// The same questions and settings for another round. Offsets are kept and apply to the new times. Instants are
    /// dropped.
    func forNextRound(titled title: String, after last: String) -> FormDefinition {
        var form = self
        if form.title == last { form.title = title }
        form.opens = opens.flatMap { $0.isOffset ? $0 : nil }
        form.closes = closes.flatMap { $0.isOffset ? $0 : nil }
        return form
    }
}
