import Contract

/// One field of a page's form, with the typed value and its faults.
struct PageField {
    enum Kind {
        case line
        /// A text area with this number of rows.
        case lines(Int)
        /// One of several values, each with a label.
        case choice([(value: String, label: String)])
        /// A checkbox.
        case tick
    }

    /// The name in the form. It is also the element's id unless `id` is set.
    var name: String
    var label: String
    var value = ""
    var kind = Kind.line
    var id: String?
    /// The input's `type`.
    var type = "text"
    /// The keyboard that phones show, such as `numeric` or `email`.
    var inputMode = ""
    /// A sentence about the field.
    var hint = ""
    /// What applies once the box is ticked.
    var notice: AnonymityNotice?
    /// The reason why the field can't be changed; empty if it can. The value is always sent.
    var fixed = ""
    var faults: [String] = []
    var maxLength = 0
    var autocomplete = "off"
    /// Whether the field has the focus when the page opens.
    var isFocused = false

    /// The values of the template `field`.
    struct Values: TemplateValues {
        struct Choice: TemplateValues {
            var choice: String
            /// The label.
            var words: String
            var isChosen: Bool
        }

        var id: String
        var name: String
        var label: String
        var value: String
        var type: String
        var inputMode: String?
        var hint: String?
        var notice: AnonymityNotice?
        var fixed: String?
        /// The faults.
        var details: [String]
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
        let notes = [
            ("hint", !hint.isEmpty), ("notice", notice != nil), ("fixed", !fixed.isEmpty), ("fault", !faults.isEmpty),
        ]
        let describedBy = notes.filter(\.1).map { "\(id)-\($0.0)" }.joined(separator: " ")
        var values = Values(
            id: id, name: name, label: label, value: value, type: type, inputMode: inputMode.nonEmpty,
            hint: hint.nonEmpty, notice: notice, fixed: fixed.nonEmpty, details: faults,
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
    /// Nil for an empty text. A template would render a section even for an empty text.
    var nonEmpty: String? { isEmpty ? nil : self }
}

extension PageRequest {
    /// The message of a fault in the reader's language.
    func message(for fault: ProblemBody.FaultBody) -> String {
        // Queries have their own messages: `?to` is the end of a period, but `/endsAt` is the end of a meeting.
        if fault.pointer.hasPrefix("?"), let text = texts.find("query-fault.\(fault.code)") { return text }
        return texts.find("host-fault.\(fault.code)") ?? texts.find("fault.\(fault.code)") ?? fault.detail
    }

    /// The messages of the faults at a JSON pointer and below it.
    func messages(for faults: [ProblemBody.FaultBody], at pointer: String) -> [String] {
        faults.filter { $0.pointer == pointer || $0.pointer.hasPrefix(pointer + "/") }.map(message)
    }
}
