import Contract

/// The page on which a participant fills in or corrects a form.
struct FormPage: PageModel {
    /// What the form is for.
    enum Purpose {
        case submission, correction
    }

    static let template = "form"
    var title: String
    var heading: FormHeading
    /// Why the form is shown again.
    var alert: String?
    /// Validation errors that belong to no question.
    var faults: [String]
    var questions: [FormQuestion]
    var version: Int
    /// The idempotency key of the submission.
    var key: String
    /// The key of the draft in the browser.
    var draft: String
    var action: String
    var send: String
    var isCorrection: Bool
    var script: String

    init(_ form: PublicForm, _ sheet: FormSheet, _ context: FormContext, for purpose: Purpose, alert: String?) {
        let page = context.page
        context.prepare(form)
        title = form.title
        heading = FormHeading(form, page)
        self.alert = alert
        faults = sheet.faults.filter { fault in !form.questions.contains { fault.isAbout($0) } }
            .map { $0.participantText(page.texts) }
        questions = form.questions.map { FormQuestion($0, sheet, page) }
        version = sheet.version
        key = sheet.key
        draft = context.draft
        isCorrection = purpose == .correction
        action = context.path + (isCorrection ? "/edit" : "")
        send = page.texts(isCorrection ? "form.send-correction" : "form.send")
        script = page.kit.files.address("form.js")
    }
}

/// The part above the questions, which says who will see what: the names of the template `form-head`.
struct FormHeading: TemplateValues {
    var title: String
    var intro: String?
    var isAnonymous: Bool
    /// Whether answers are linked to people.
    var who: String
    /// Who sees the results, and when.
    var results: String

    init(_ form: PublicForm, _ page: PageRequest) {
        let texts = page.texts
        (title, intro, isAnonymous) = (form.title, form.intro, form.anonymous)
        who =
            form.anonymous
            ? texts("anonymity.participant", ["minimum": "\(form.minimumGroup ?? 1)"])
            : texts(form.identity == "attendee" ? "form.who-named" : "form.who-unnamed")
        results = texts("form.results-\(form.showResults)")
    }
}
