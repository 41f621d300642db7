import Contract

/// What a form lets its hosts know of who answered, in their words.
struct WhoAnswers {
    let definition: FormBody
    let texts: PageTexts

    private var isAnonymous: Bool { definition.anonymous == true }
    var isNamed: Bool { !isAnonymous && definition.identity == "attendee" }

    /// For the line below a title.
    var brief: String {
        if isAnonymous { return texts("meeting.anonymous", ["minimum": "\(definition.minimumGroup ?? 1)"]) }
        if isNamed { return texts("meeting.named") }
        return texts(definition.identity == "device" ? "meeting.device" : "meeting.open")
    }

    /// What stays where until when; nil for a form that is not anonymous.
    var anonymity: String? {
        isAnonymous ? texts("anonymity.host", ["minimum": "\(definition.minimumGroup ?? 1)"]) : nil
    }

    /// Where to see who answered, or why nobody can.
    func values(_ meeting: Meeting, canEdit: Bool) -> [String: Any] {
        let named = canEdit ? "meeting.who-named" : "meeting.who-named-viewer"
        var values: [String: Any] = [
            "sentence": anonymity ?? texts(isNamed ? named : "meeting.who-unnamed")
        ]
        if isNamed, canEdit {
            values["downloadPath"] = "/meetings/\(meeting.id)/export/submissions.xlsx?titles=true"
            values["peoplePath"] = "/series/\(meeting.seriesId)/people"
        }
        return values
    }
}

extension Meeting {
    /// Which round of what it is; a series of the same name is not named twice.
    func subtitle(_ texts: PageTexts) -> String {
        let number = texts("meeting.round", ["round": "\(round)"])
        return series == title ? number : "\(series) · \(number)"
    }
}
