import Contract

/// Says why a form can't be filled in, and shows what was typed before it closed.
struct ClosedFormPage: PageModel {
    static let template = "form-shut"
    var title: String
    var alert: String?
    /// Whether the answers below were typed now and are not saved.
    var isLost: Bool
    /// Whether the form is not open yet.
    var isEarly: Bool
    var opens: PageTime?
    var hasResults: Bool
    var path: String
    /// When the answers are deleted, as a sentence; nil if they are kept or the form is not open yet.
    var retention: String?
    var typedAnswers: TypedAnswers?

    init(_ form: PublicForm, _ sheet: FormSheet, _ page: PageRequest, alert: String?) {
        title = form.title
        self.alert = alert
        isEarly = form.state == "scheduled" || form.state == "draft"
        opens = form.opensAt.map(page.pageTime)
        hasResults = form.showResults == "always" || form.showResults == "afterClose"
        path = "/f/\(form.code)"
        retention = isEarly ? nil : RetentionText.forParticipants(of: form, page.texts)
        typedAnswers = TypedAnswers(sheet, form)
        isLost = alert != nil && typedAnswers != nil
    }
}

/// Says that a form needs a personal link, or that the person of the link has answered already.
struct PersonalFormPage: PageModel {
    static let template = "form-personal"
    var title: String
    var text: String
}

/// The page after a withdrawal.
struct WithdrawnFormPage: PageModel {
    static let template = "form-withdrawn"
    var title: String
    var path: String
    /// The name of the draft in the browser, which the page deletes.
    var draft: String
    var script: String
    /// Whether the form accepts no second submission from the same respondent.
    var isFinal: Bool
    /// Whether the form can be answered again.
    var canAnswer: Bool
    /// Whether the participant can see the results.
    var hasResults: Bool
    var typedAnswers: TypedAnswers?

    init(_ form: PublicForm, _ context: FormContext, showing sheet: FormSheet? = nil) {
        title = form.title
        path = "/f/\(form.code)"
        draft = context.draftName
        script = context.page.kit.files.address("form.js")
        isFinal = form.isOnceOnly
        canAnswer = form.state == "open" && !form.isOnceOnly
        hasResults = form.showResults == "always" || form.showResults == "afterClose" && form.state != "open"
        typedAnswers = sheet.flatMap { TypedAnswers($0, form) }
    }
}

/// The typed answers, which a page without the form shows for copying. The template is `form-kept`.
struct TypedAnswers: TemplateValues {
    struct Answer: TemplateValues {
        var question: String
        var answer: String
    }

    var answers: [Answer]

    /// Nil if nothing was filled in.
    init?(_ sheet: FormSheet, _ form: PublicForm) {
        guard !sheet.isEmpty else { return nil }
        answers = sheet.answers(form)
    }
}
