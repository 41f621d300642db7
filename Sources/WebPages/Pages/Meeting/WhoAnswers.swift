import Contract

/// Describes to hosts what a form records about its respondents.
struct WhoAnswers {
    let definition: FormBody
    let texts: PageTexts

    private var isAnonymous: Bool { definition.anonymous == true }
    var isNamed: Bool { !isAnonymous && definition.identity == "attendee" }

    /// One phrase for the line below a title.
    var brief: String {
        if isAnonymous { return texts("meeting.anonymous", ["minimum": "\(definition.minimumGroup ?? 1)"]) }
        if isNamed { return texts("meeting.named") }
        return texts(definition.identity == "device" ? "meeting.device" : "meeting.open")
    }

    /// How an anonymous form protects its respondents; nil for other forms.
    var anonymity: String? {
        isAnonymous ? texts("anonymity.host", ["minimum": "\(definition.minimumGroup ?? 1)"]) : nil
    }

    struct Values: TemplateValues {
        var sentence: String
        var downloadPath: String?
        var peoplePath: String?
    }

    /// Where hosts see who answered, or why they cannot.
    func values(_ meeting: Meeting, canEdit: Bool) -> Values {
        let named = canEdit ? "meeting.who-named" : "meeting.who-named-viewer"
        var values = Values(sentence: anonymity ?? texts(isNamed ? named : "meeting.who-unnamed"))
        if isNamed, canEdit {
            values.downloadPath = "/meetings/\(meeting.id)/export/submissions.xlsx?titles=true"
            values.peoplePath = "/series/\(meeting.seriesId)/people"
        }
        return values
    }
}

extension Meeting {
    /// Its series and round; without the series if that has the meeting's title.
    func subtitle(_ texts: PageTexts) -> String {
        let number = texts("meeting.round", ["round": "\(round)"])
        return series == title ? number : "\(series) · \(number)"
    }
}
