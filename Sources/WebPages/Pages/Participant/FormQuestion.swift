import Contract
import Domain
import StrictJSON

/// One question with the answer that was filled in. The templates are `form-questions` and `question-notes`.
struct FormQuestion: TemplateValues {
    struct Option: TemplateValues {
        var id: String
        var label: String
        var isChecked: Bool
    }

    struct TextField: TemplateValues {
        var rows: Int
        var maxLength: Int
        /// The service's limit in UTF-8 bytes. The browser enforces the same number of UTF-16 units. A text never has
        /// more units than bytes, so the browser cuts nothing that the service accepts. The service returns a text that
        /// is too long, so that the participant can shorten it.
        var maxBytes: Int

        init(maxLength: Int) {
            (rows, self.maxLength) = (maxLength > 120 ? 4 : 2, maxLength)
            maxBytes = Limits.maxBytes(characters: maxLength)
        }
    }

    struct Scale: TemplateValues {
        /// What the lowest and the highest rating mean.
        struct Ends: TemplateValues {
            var minLabel: String?
            var maxLabel: String?
        }

        var ratings: [Option]
        /// Whether each rating has a label in words.
        var isWorded = false
        var ends: Ends?
        var abstention: Option?
    }

    struct Choice: TemplateValues {
        /// The `type` of the inputs: `radio` or `checkbox`.
        var inputType: String
        var options: [Option]
        /// The option for the respondent's own answer, if the question allows one.
        var other: Option?
        let maxOtherBytes = Limits.maxBytes(characters: Limits.otherText)
    }

    var key: String
    var title: String
    /// The title of the grid of a statement.
    var gridName: String?
    var gridHead: GridHead?
    var isRequired: Bool
    var description: String?
    /// How many options may be chosen.
    var hint: String?
    var faults: [String]
    var hasFaults: Bool
    /// Whether the page begins with this question if it shows one at a time.
    var isCurrent = false
    /// The condition under which the question is asked, as JSON for the script; nil if it always is.
    var condition: String?
    /// Whether the page does not show the question without JavaScript, and whether it is asked nevertheless.
    var isHidden = false
    var isAsked = true
    /// The ids of the description, the hint and the faults.
    var describedBy: String?
    /// The text answer, or the respondent's own answer to a choice.
    var text: String
    var textField: TextField?
    var scale: Scale?
    var choice: Choice?

    init(_ question: QuestionBody, _ sheet: FormSheet, _ page: PageRequest) {
        key = question.key
        title = question.title
        gridName = question.grid?.title
        isRequired = question.required == true
        description = question.description
        hint = Self.hint(question, page)
        // The hint says how many options may be chosen, and the general text only that there are too many or too few.
        let limits = ["too-many-selections": hint, "too-few-selections": hint]
        faults = sheet.faults.filter { $0.isAbout(question) }.map {
            (limits[$0.code] ?? nil) ?? $0.participantText(page.texts)
        }
        hasFaults = !faults.isEmpty
        condition = question.showIf.flatMap { try? JSONValue(encoding: $0).text }
        text = sheet.texts[question.key] ?? ""
        let notes = [("d", description != nil), ("h", hint != nil), ("e", hasFaults)]
        describedBy = notes.filter(\.1).map { "\($0.0)-\(question.key)" }.joined(separator: " ").nonEmpty
        func option(_ id: String, _ label: String) -> Option {
            Option(id: id, label: label, isChecked: sheet.isChosen(id, of: question))
        }
        switch question.kind {
        case "text": textField = TextField(maxLength: question.maxLength ?? 1000)
        case "rating":
            let (low, high) = (question.min ?? 1, question.max ?? 5)
            let hasEnds = question.minLabel != nil || question.maxLabel != nil
            let labels = question.labels ?? []
            scale = Scale(
                ratings: (low...max(low, high)).map { value in
                    option("\(value)", labels.indices.contains(value - low) ? labels[value - low] : "\(value)")
                },
                isWorded: !labels.isEmpty,
                ends: hasEnds && labels.isEmpty ? .init(minLabel: question.minLabel, maxLabel: question.maxLabel) : nil,
                abstention: question.abstain.map { option(Limits.abstention, $0) })
        case "choice":
            choice = Choice(
                inputType: question.multiple == true ? "checkbox" : "radio",
                options: (question.options ?? []).map { option($0.id, $0.label) },
                other: question.other == true ? option(FormSheet.other, page.texts("form.other")) : nil)
        default: break
        }
    }

    /// How many options may be chosen; nil if only one may.
    private static func hint(_ question: QuestionBody, _ page: PageRequest) -> String? {
        guard question.kind == "choice", question.multiple == true else { return nil }
        let least = question.minSelections ?? 0
        switch (least > 1, question.maxSelections) {
        case (true, let most?): return page.texts("form.choose-between", ["least": "\(least)", "most": "\(most)"])
        case (true, nil): return page.texts("form.choose-least", ["least": "\(least)"])
        case (false, let most?): return page.texts("form.choose-most", ["most": "\(most)"])
        case (false, nil): return page.texts("form.choose-any")
        }
    }
}

extension ProblemBody.FaultBody {
    func isAbout(_ question: QuestionBody) -> Bool {
        pointer == "/answers/\(question.key)" || pointer.hasPrefix("/answers/\(question.key)/")
    }

    /// The fault in the participant's language, or the API's text if the language has no text for the code.
    func participantText(_ texts: PageTexts) -> String { texts.find("fault.\(code)") ?? detail }
}
