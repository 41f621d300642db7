import StrictJSON

/// The next round of a series: what its host says of it, the rest from the round before.
public struct NextRound: Sendable, Equatable {
    public var meeting: MeetingDraft
    public var form: FormDefinition
    /// Whether the image of the round before is its image too.
    public var keepsImage: Bool

    /// Reads the body of `POST /v1/series/{id}/meetings`, in which everything may be left out.
    ///
    /// Times are never taken over, so a round without any is undated; nor is the leave to overlap, which was given for
    /// one time. A null leaves a field out, except for place and head count, which it empties.
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
        let faults = reader.finish()
        guard faults.isEmpty else { throw Problem(faults) }
        return next
    }
}

extension FormDefinition {
    /// The same questions and settings for another round: an offset counts from its times, an instant was the other's.
    func forNextRound(titled title: String, after last: String) -> FormDefinition {
        var form = self
        if form.title == last { form.title = title }
        form.opens = opens.flatMap { $0.isOffset ? $0 : nil }
        form.closes = closes.flatMap { $0.isOffset ? $0 : nil }
        return form
    }
}
