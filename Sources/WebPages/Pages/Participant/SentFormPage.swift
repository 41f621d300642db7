import Contract

/// The page after a submission or a correction. It thanks, and says what happens next.
struct SentFormPage: PageModel {
    static let template = "form-sent"
    var title: String
    var heading: String
    /// What is saved, as a sentence.
    var saved: String
    var path: String
    /// The name of the draft in the browser, which the page deletes.
    var draft: String
    var script: String
    /// What happens next: sentences about the results, the time to change the answers, and their deletion.
    var steps: [String] = []
    /// Whether the participant can see the results.
    var hasResults = false
    /// Explains what the receipt in the browser is for; nil if the submission can't be changed.
    var receipt: String?
    /// What a withdrawal does.
    var withdrawal: String
    /// Whether several people may answer in the same browser.
    var isShared = false

    /// - Parameter isCorrection: Whether answers were changed.
    init(_ form: PublicForm, _ context: FormContext, isCorrection: Bool) {
        let texts = context.page.texts
        title = form.title
        heading = texts(isCorrection ? "sent.changed" : "sent.thanks")
        saved = texts(isCorrection ? "sent.changed-stored" : "sent.stored")
        path = "/f/\(form.code)"
        draft = context.draftName
        withdrawal = [texts("sent.withdraw-why"), form.isOnceOnly ? texts("sent.withdraw-once") : nil]
            .compactMap(\.self).joined(separator: " ")
        script = context.page.kit.files.address("form.js")
    }

    /// Says what follows for a participant.
    ///
    /// - Parameters:
    ///   - canChange: Whether this browser can change the answers, because the form is open and it has a valid receipt.
    ///   - isKnown: Whether the browser has a valid receipt.
    mutating func explain(_ form: PublicForm, _ page: PageRequest, canChange: Bool, isKnown: Bool) {
        let texts = page.texts
        let isOpen = form.state == "open"
        hasResults =
            form.showResults == "always" || form.showResults == "afterSubmission" && isKnown
            || form.showResults == "afterClose" && !isOpen
        if canChange { receipt = texts(form.isOnceOnly ? "sent.receipt" : "sent.receipt-shared") }
        steps = [
            texts("sent.results-\(Self.results(form, isKnown: isKnown))"),
            form.anonymous && form.showResults != "never"
                ? texts("results.withheld", ["minimum": "\(form.minimumGroup ?? 1)"]) : nil,
            canChange ? form.closesAt.map { texts("sent.closes", ["time": page.time($0)]) } : nil,
            RetentionText.forParticipants(of: form, texts),
        ].compactMap(\.self)
    }

    /// The last part of the key of the sentence that says who sees the results, and when.
    private static func results(_ form: PublicForm, isKnown: Bool) -> String {
        switch form.showResults {
        case "always": "everyone"
        case "afterSubmission": isKnown ? "answered" : "answered-elsewhere"
        case "afterClose": form.state == "open" ? "later" : "everyone"
        default: "hosts"
        }
    }
}
