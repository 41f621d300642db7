import StrictJSON

extension PreparedForm {
    /// Validates a submission's `answers` and throws all errors together, as 422 under `/answers`.
    ///
    /// Null, an empty list and a blank text mean skipped; a text is stored as it was sent.
    public func answers(from json: JSONValue?) throws(Problem) -> Answers {
        var check = AnswerCheck()
        var slots = [Answers.Entry?](repeating: nil, count: questions.count)
        switch json {
        case .object(let members):
            for member in members {
                check.key = member.name
                guard let index = indices[member.name] else {
                    check.fault("unknown-question", "The form has no such question.")
                    continue
                }
                slots[index] = entry(at: index, member.value, &check)
            }
        case nil, .null: break
        default:
            throw Problem([Fault(.malformed, at: "/answers", code: "wrong-type", "An object is expected here.")])
        }
        for (index, question) in questions.enumerated() where question.required && slots[index] == nil {
            check.key = question.key
            if !check.failed.contains(question.key) { check.fault("required", "This question must be answered.") }
        }
        guard check.faults.isEmpty else { throw Problem(check.faults) }
        return Answers(slots.compactMap { $0 })
    }

    private func entry(at index: Int, _ value: JSONValue, _ check: inout AnswerCheck) -> Answers.Entry? {
        switch value {
        case .null: return nil
        case .array(let elements) where elements.isEmpty: return nil
        default: break
        }
        let question = questions[index]
        switch question.kind {
        case .rating(let rating):
            return check.rating(value, in: rating).map { Answers.Entry(question.key, $0) }
        case .text(let maxLength):
            return check.text(value, maxLength: maxLength).map { Answers.Entry(question.key, $0) }
        case .choice(let choice) where choice.multiple:
            return check.selections(value, of: choice, options[index])
                .map { Answers.Entry(question.key, $0, multiple: true) }
        case .choice(let choice):
            return check.selection(value, of: choice, options[index])
                .map { Answers.Entry(question.key, $0, multiple: false) }
        }
    }
}
