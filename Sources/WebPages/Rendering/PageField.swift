import Contract

/// One field of a page's form for the template `field`: what was typed stays in it, what is wrong stands beside it.
struct PageField {
    enum Kind {
        case line
        case lines(Int)
        /// One of some values, each with its words.
        case choice([(value: String, label: String)])
        case tick
    }

    /// Its name in the form; its id, unless another one is given.
    var name: String
    var label: String
    var value = ""
    var kind = Kind.line
    var id: String?
    /// An input's `type`, where it is not text.
    var type = "text"
    /// For keyboards of phones: `numeric`, `email`.
    var inputMode = ""
    /// What it does, in a sentence.
    var hint = ""
    /// Why it cannot be changed any more; what it holds is sent all the same.
    var fixed = ""
    var faults: [String] = []
    var maxLength = 0
    var autocomplete = "off"
    /// Whether the page begins here.
    var isFocused = false

    var values: [String: Any] {
        let id = id ?? name
        let notes = [("hint", !hint.isEmpty), ("fixed", !fixed.isEmpty), ("fault", !faults.isEmpty)]
        let describedBy = notes.filter(\.1).map { "\(id)-\($0.0)" }.joined(separator: " ")
        // Every name is given, since a template looks for a missing one in what stands around the field.
        var values: [String: Any] = [
            "id": id, "name": name, "label": label, "value": value, "type": type, "inputMode": inputMode,
            "hasInputMode": !inputMode.isEmpty, "hint": hint, "hasHint": !hint.isEmpty, "fixed": fixed,
            "isFixed": !fixed.isEmpty, "details": faults.map { ["detail": $0] }, "hasFaults": !faults.isEmpty,
            "describedBy": describedBy, "isDescribed": !describedBy.isEmpty, "maxLength": maxLength,
            "hasMaxLength": maxLength > 0, "autocomplete": autocomplete,
            "isFocused": isFocused,
            "isLine": false, "isLines": false, "isChoice": false, "isTick": false,
        ]
        switch kind {
        case .line: values["isLine"] = true
        case .lines(let rows):
            values["isLines"] = true
            values["rows"] = rows
        case .choice(let choices):
            values["isChoice"] = true
            values["choices"] = choices.map { ["choice": $0.value, "words": $0.label, "isChosen": $0.value == value] }
        case .tick:
            values["isTick"] = true
            values["isTicked"] = !value.isEmpty
        }
        return values
    }
}

extension PageRequest {
    /// What is wrong with what a host typed, in their language.
    func say(_ fault: ProblemBody.FaultBody) -> String {
        // `?to` is the end of a period that somebody asked for, `/endsAt` that of a meeting.
        if fault.pointer.hasPrefix("?"), let text = texts.find("query-fault.\(fault.code)") { return text }
        return texts.find("host-fault.\(fault.code)") ?? texts.find("fault.\(fault.code)") ?? fault.detail
    }

    func say(_ faults: [ProblemBody.FaultBody], at pointer: String) -> [String] {
        faults.filter { $0.pointer == pointer || $0.pointer.hasPrefix(pointer + "/") }.map(say)
    }
}
