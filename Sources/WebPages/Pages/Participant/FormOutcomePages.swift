import Contract

/// Why a form can't be filled in, with what was typed before it closed.
struct ClosedFormPage: PageModel {
    static let template = "form-shut"
    var title: String
    var alert: String?
    var isEarly: Bool
    var opens: PageTime?
    var hasResults: Bool
    var path: String
    var kept: KeptAnswers?

    init(_ form: PublicForm, _ sheet: FormSheet, _ page: PageRequest, alert: String?) {
        title = form.title
        self.alert = alert
        isEarly = form.state == "scheduled" || form.state == "draft"
        opens = form.opensAt.map(page.pageTime)
        hasResults = form.showResults == "always" || form.showResults == "afterClose"
        path = "/f/\(form.code)"
        kept = KeptAnswers(sheet, form)
    }
}

/// A form that needs a personal link.
struct PersonalFormPage: PageModel {
    static let template = "form-personal"
    var title: String
}

/// The page after a submission or a correction.
struct SentFormPage: PageModel {
    static let template = "form-sent"
    var title: String
    var path: String
    var draft: String
    var script: String
    var hasResults = false
    /// What the receipt in the browser is for; nil if the submission can't be changed.
    var receipt: String?
    /// Whether the next person may answer in the same browser.
    var isShared = false

    init(_ form: PublicForm, _ context: FormContext) {
        title = form.title
        path = "/f/\(form.code)"
        draft = context.draft
        script = context.page.kit.files.address("form.js")
    }
}

/// The page after a withdrawal.
struct WithdrawnFormPage: PageModel {
    static let template = "form-withdrawn"
    var title: String
    var path: String
    var draft: String
    var script: String
    /// Whether the form accepts no second submission from the same respondent.
    var isFinal: Bool
    var canAnswer: Bool
    var hasResults: Bool
    var kept: KeptAnswers?

    init(_ form: PublicForm, _ context: FormContext, keeping sheet: FormSheet? = nil) {
        title = form.title
        path = "/f/\(form.code)"
        draft = context.draft
        script = context.page.kit.files.address("form.js")
        isFinal = form.isOnceOnly
        canAnswer = form.state == "open" && !form.isOnceOnly
        hasResults = form.showResults == "always" || form.showResults == "afterClose" && form.state != "open"
        kept = sheet.flatMap { KeptAnswers($0, form) }
    }
}

/// What was filled in, to be copied from a page without the form: the names of the template `form-kept`.
struct KeptAnswers: TemplateValues {
    struct Answer: TemplateValues {
        var question: String
        var answer: String
    }

    var answers: [Answer]

    /// Nil for a form that is not filled in.
    init?(_ sheet: FormSheet, _ form: PublicForm) {
        guard !sheet.isEmpty else { return nil }
        answers = sheet.answers(form)
    }
}
