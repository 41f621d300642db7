import StrictJSON

/// Validates the answers of one submission one by one, and collects the errors.
struct AnswerCheck {
    /// The key of the current question.
    var key = ""
    var faults: [Fault] = []
    /// Questions that already have an error, so that they are not reported as unanswered too.
    var failed: Set<String> = []

    /// Whether further faults would not be reported. A long list may have a hundred thousand.
    var isFull: Bool { faults.count > Fault.maximumReported }

    mutating func fault(_ code: String, _ detail: String) {
        faults.append(Fault(.invalid, at: "/answers" + JSONPointer.token(key), code: code, detail))
        failed.insert(key)
    }

    /// Reports a required question that has no answer, unless its answer has a fault.
    mutating func requireAnswer(to question: Question) {
        key = question.key
        if !failed.contains(key) { fault("required", "This question must be answered.") }
    }

    mutating func rating(_ value: JSONValue, in rating: Question.Rating) -> Answer? {
        if rating.abstain != nil, case .string(let text) = value {
            if text == Limits.abstention { return .abstention }
            fault("wrong-type", "A number, or “\(Limits.abstention)”, is expected.")
            return nil
        }
        switch value.integer {
        case .exact(let number) where rating.min <= number && number <= rating.max: return .rating(number)
        case .exact, .beyondRange: fault("out-of-range", "A rating from \(rating.min) to \(rating.max) is expected.")
        case .fractional: fault("not-an-integer", "A whole number is expected.")
        case nil: fault("wrong-type", "A number is expected.")
        }
        return nil
    }

    mutating func text(_ value: JSONValue, maxLength: Int) -> Answer? {
        guard case .string(let text) = value else {
            fault("wrong-type", "A text is expected.")
            return nil
        }
        guard !Limits.isBlank(text) else { return nil }
        return accept(text, maxLength) ? .text(text) : nil
    }

    /// A single choice: an option id, or `{"other": "…"}`.
    mutating func selection(_ value: JSONValue, of choice: Question.Choice, _ options: Set<String>) -> Answer? {
        switch value {
        case .string(let id): return acceptOption(id, in: options) ? .choice([id], other: nil) : nil
        case .object: return readOther(value, of: choice).map { .choice([], other: $0) }
        default:
            fault("wrong-type", "An option's id is expected.")
            return nil
        }
    }

    /// A multiple choice: a list of option ids with at most one `{"other": "…"}`.
    mutating func selections(_ value: JSONValue, of choice: Question.Choice, _ options: Set<String>) -> Answer? {
        guard case .array(let elements) = value else {
            fault("wrong-type", "A list of option ids is expected.")
            return nil
        }
        let faultCount = faults.count
        var ids: [String] = []
        var otherText: String?
        var otherCount = 0
        ids.reserveCapacity(min(elements.count, options.count))
        for element in elements {
            if isFull { break }
            switch element {
            case .string(let id):
                guard acceptOption(id, in: options) else { continue }
                if ids.contains(id) {
                    fault("duplicate-choice", "An option can be chosen once.")
                } else {
                    ids.append(id)
                }
            case .object:
                otherCount += 1
                if otherCount == 2 {
                    fault("duplicate-choice", "Only one answer in the participant's own words is allowed.")
                }
                if otherCount == 1 { otherText = readOther(element, of: choice) }
            default: fault("wrong-type", "An option's id is expected.")
            }
        }
        guard faults.count == faultCount else { return nil }
        let count = ids.count + otherCount
        if let maximum = choice.maxSelections, count > maximum {
            fault("too-many-selections", "At most \(maximum) can be chosen.")
        } else if count < choice.minSelections {
            fault("too-few-selections", "At least \(choice.minSelections) must be chosen.")
        }
        return faults.count == faultCount ? .choice(ids, other: otherText) : nil
    }

    private mutating func acceptOption(_ id: String, in options: Set<String>) -> Bool {
        if id.utf8.count <= Limits.keyLength, options.contains(id) { return true }
        fault("unknown-option", "The question has no such option.")
        return false
    }

    private mutating func readOther(_ value: JSONValue, of choice: Question.Choice) -> String? {
        guard case .object(let members) = value, members.count == 1, members[0].name == Limits.otherOption,
            case .string(let text) = members[0].value
        else {
            fault("wrong-type", "An option's id or {\"other\": \"…\"} is expected.")
            return nil
        }
        guard choice.other else {
            fault("unknown-option", "The question allows no answer besides its options.")
            return nil
        }
        guard !Limits.isBlank(text) else {
            fault("required", "The other answer is blank.")
            return nil
        }
        return accept(text, Limits.otherText) ? text : nil
    }

    private mutating func accept(_ text: String, _ limit: Int) -> Bool {
        if text.utf8.contains(0) {
            fault("nul-character", "A text cannot contain the character NUL.")
        } else if !Limits.fits(text, limit) {
            fault(
                "too-long",
                "At most \(limit) characters, and at most \(Limits.maxBytes(characters: limit)) bytes, are allowed.")
        } else {
            return true
        }
        return false
    }
}
