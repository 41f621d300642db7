import Contract

/// One field of a page's form for the template `field`. It keeps what was typed, and shows the faults.
struct PageField {
    enum Kind {
        case line
        case lines(Int)
        /// One of several values, each with a label.
        case choice([(value: String, label: String)])
        case tick
    }

    /// The name in the form; also the id, unless `id` is set.
    var name: String
    var label: String
    var value = ""
    var kind = Kind.line
    var id: String?
    /// The input's `type`.
    var type = "text"
    /// The keyboard of phones: `numeric`, `email`.
    var inputMode = ""
    /// A sentence about the field.
    var hint = ""
    /// Why the field can't be changed; its value is still sent.
    var fixed = ""
    var faults: [String] = []
    var maxLength = 0
    var autocomplete = "off"
    /// Whether the field has the focus when the page opens.
    var isFocused = false

    /// The names of the template `field`.
    struct Values: TemplateValues {
        struct Choice: TemplateValues {
            var choice: String
            var words: String
            var isChosen: Bool
        }

        struct Detail: TemplateValues { var detail: String }

        var id: String
        var name: String
        var label: String
        var value: String
        var type: String
        var inputMode: String?
        var hint: String?
        var fixed: String?
        var details: [Detail]
        var hasFaults: Bool
        var describedBy: String?
        var maxLength: Int?
        var autocomplete: String
        var isFocused: Bool
        var isLine = false
        var isLines = false
        var isChoice = false
        var isTick = false
        var rows: Int?
        var choices: [Choice] = []
        var isTicked = false
    }

    var values: Values {
        let id = id ?? name
        let notes = [("hint", !hint.isEmpty), ("fixed", !fixed.isEmpty), ("fault", !faults.isEmpty)]
        let describedBy = notes.filter(\.1).map { "\(id)-\($0.0)" }.joined(separator: " ")
        var values = Values(
            id: id, name: name, label: label, value: value, type: type, inputMode: inputMode.nonEmpty,
            hint: hint.nonEmpty, fixed: fixed.nonEmpty, details: faults.map { .init(detail: $0) },
            hasFaults: !faults.isEmpty, describedBy: describedBy.nonEmpty,
            maxLength: maxLength > 0 ? maxLength : nil, autocomplete: autocomplete, isFocused: isFocused)
        switch kind {
        case .line: values.isLine = true
        case .lines(let rows): (values.isLines, values.rows) = (true, rows)
        case .choice(let choices):
            values.isChoice = true
            values.choices = choices.map { .init(choice: $0.value, words: $0.label, isChosen: $0.value == value) }
        case .tick: (values.isTick, values.isTicked) = (true, !value.isEmpty)
        }
        return values
    }
}

extension String {
    /// Nil for an empty text, which a template would show as a section.
    var nonEmpty: String? { isEmpty ? nil : self }
}

extension PageRequest {
    /// The fault in the host's language.
    func say(_ fault: ProblemBody.FaultBody) -> String {
        // `?to` is the end of a period in a query, `/endsAt` the end of a meeting.
        if fault.pointer.hasPrefix("?"), let text = texts.find("query-fault.\(fault.code)") { return text }
        return texts.find("host-fault.\(fault.code)") ?? texts.find("fault.\(fault.code)") ?? fault.detail
    }

    func say(_ faults: [ProblemBody.FaultBody], at pointer: String) -> [String] {
        faults.filter { $0.pointer == pointer || $0.pointer.hasPrefix(pointer + "/") }.map(say)
    }
}
