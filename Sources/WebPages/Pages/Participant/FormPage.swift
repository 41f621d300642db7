import Contract

/// The page on which a participant fills in or corrects a form.
struct FormPage: PageModel {
    /// A link to a question with a fault.
    struct FaultLink: TemplateValues {
        var key: String
        var text: String
    }

    static let template = "form"
    var title: String
    var heading: FormHeading
    /// Says whose personal link it is; nil for other forms.
    var holder: String?
    /// Why the form is shown again.
    var alert: String?
    var hasFaultLinks: Bool
    /// Links to the questions with faults, in the form's order.
    var faultLinks: [FaultLink]
    /// Validation errors that belong to no question.
    var faults: [String]
    var questions: [FormQuestion]
    /// Nil unless questions depend on answers.
    var stages: FormStages?
    /// Nil if all questions are shown at once.
    var steps: FormSteps?
    var version: Int
    /// The idempotency key of the submission.
    var key: String
    /// The name under which the browser stores the draft.
    var draft: String
    /// The path that the form is sent to.
    var action: String
    /// The label of the button.
    var send: String
    /// Whether the form corrects an earlier submission.
    var isCorrection: Bool
    /// Where a correction leads back to if nothing is changed; nil for new answers.
    var unchangedPath: String?
    var script: String

    init(
        _ form: PublicForm, _ staged: StagedForm?, _ sheet: FormSheet, _ context: FormContext, isCorrection: Bool,
        alert: String?
    ) {
        let page = context.page
        // Sets the device key before the first submission, so that two concurrent submissions have the same key.
        _ = context.respondent(form)
        title = form.title
        heading = FormHeading(form, page)
        self.alert = alert
        faults = sheet.faults.filter { fault in !form.questions.contains { fault.isAbout($0) } }
            .map { $0.participantText(page.texts) }
        questions = form.questions.map { FormQuestion($0, sheet, page) }
        questions.addGridHeads(form.questions)
        if let staged { stages = FormStages(staged, sheet, &questions, page) }
        steps = FormSteps(form, &questions, page)
        faultLinks = questions.enumerated().filter(\.element.hasFaults).map { index, question in
            let values = [
                "number": "\(index + 1)", "title": question.title, "fault": question.faults.joined(separator: " "),
            ]
            return FaultLink(key: question.key, text: page.texts("form.fault-at", values))
        }
        hasFaultLinks = !faultLinks.isEmpty
        version = sheet.version
        key = sheet.key
        draft = context.draftName
        self.isCorrection = isCorrection
        action = context.path + (isCorrection ? "/edit" : "")
        unchangedPath = isCorrection ? context.path + "/sent" : nil
        send = page.texts(isCorrection ? "form.send-correction" : "form.send")
        script = page.kit.files.address("form.js")
    }
}

/// The part above the questions. It says who will see the answers and the results. The template is `form-head`.
struct FormHeading: TemplateValues {
    var picture: PictureValues?
    var title: String
    var intro: String?
    var isAnonymous: Bool
    /// Whether answers are stored with names, as a sentence. The sentence about an anonymous form is short.
    var who: String
    /// The whole text about an anonymous form, which can be unfolded; nil for other forms.
    var anonymity: String?
    /// Who sees the results, and when, as a sentence.
    var results: String
    /// When the answers are deleted, as a sentence; nil if they are kept.
    var retention: String?
    /// What was decided at the last round and participants see. Nil if there is nothing.
    var decided: ShownDecisions?

    init(_ form: PublicForm, _ page: PageRequest) {
        let texts = page.texts
        picture = PictureValues(form.picture)
        (title, intro, isAnonymous) = (form.title, form.intro, form.anonymous)
        if form.anonymous {
            let minimum = ["minimum": "\(form.minimumGroup ?? 1)"]
            who = texts("anonymity.participant-brief", minimum)
            anonymity = texts("anonymity.participant", minimum)
        } else {
            let isNamed = form.identity == "attendee"
            who = "\(texts(isNamed ? "form.who-named" : "form.who-unnamed")) \(texts("form.hosts-see"))"
        }
        results = texts("form.results-\(form.showResults)")
        retention = RetentionText.forParticipants(of: form, texts)
        decided = ShownDecisions(form.decided, texts)
    }
}
