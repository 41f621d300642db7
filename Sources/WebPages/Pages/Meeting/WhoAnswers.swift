import Contract

/// Describes to hosts what a form records about its respondents.
struct WhoAnswers {
    let definition: FormBody
    let texts: PageTexts
    /// Whether the answers were deleted at the end of their retention.
    var areAnswersDeleted = false

    private var isAnonymous: Bool { definition.anonymous == true }
    /// Whether the answers are stored with the respondents' names.
    var isNamed: Bool { !isAnonymous && definition.identity == "attendee" }

    /// One phrase, for the line below the title of a page.
    var brief: String {
        if isAnonymous { return texts("meeting.anonymous", ["minimum": "\(definition.minimumGroup ?? 1)"]) }
        if isNamed { return texts("meeting.named") }
        return texts(definition.identity == "device" ? "meeting.device" : "meeting.open")
    }

    /// How an anonymous form protects its respondents; nil for other forms.
    var anonymity: AnonymityNotice? {
        isAnonymous ? AnonymityNotice(minimumGroup: definition.minimumGroup ?? 1, texts) : nil
    }

    struct Values: TemplateValues, Hashable {
        /// Where hosts see who answered, or why they cannot.
        var sentence: String
        /// The path of a file with names and answers; nil if the host may not see names or the answers were deleted.
        var downloadPath: String?
        /// The path of the roster; nil if the host may not see names.
        var peoplePath: String?
    }

    func values(_ meeting: Meeting, canEdit: Bool) -> Values {
        let namedKey = canEdit ? "meeting.who-named" : "meeting.who-named-viewer"
        let key = isAnonymous ? "meeting.who-anonymous" : isNamed ? namedKey : "meeting.who-unnamed"
        var values = Values(sentence: texts(key))
        if isNamed, canEdit {
            if !areAnswersDeleted {
                values.downloadPath = "/meetings/\(meeting.id)/export/submissions.xlsx?titles=true"
            }
            values.peoplePath = "/series/\(meeting.seriesId)/people"
        }
        return values
    }
}

/// What hosts read about an anonymous form: one sentence, and the whole text, which can be unfolded.
struct AnonymityNotice: TemplateValues, Hashable {
    var brief: String
    var whole: String

    init(minimumGroup: Int, _ texts: PageTexts) {
        let minimum = ["minimum": "\(minimumGroup)"]
        (brief, whole) = (texts("anonymity.host-brief", minimum), texts("anonymity.host", minimum))
    }
}

extension WhoAnswers {
    init(_ form: Form, _ texts: PageTexts) {
        self.init(
            definition: form.definition, texts: texts, areAnswersDeleted: form.answersDeletedAt != nil)
    }
}

extension Meeting {
    /// The series and the round; only the round if the series has the same title as the meeting.
    func subtitle(_ texts: PageTexts) -> String {
        let number = texts("meeting.round", ["round": "\(round)"])
        return series == title ? number : "\(series) · \(number)"
    }
}
