extension FormBuilder {
    /// Where a button has moved the focus, and what the page reports about the change.
    struct Effect: Equatable {
        enum Focus: Equatable {
            case question(Int)
            case option(question: Int, option: Int)
            /// The button with this value.
            case button(String)
            /// The heading above the buttons that add a question.
            case adding
        }

        var focus: Focus
        /// The name of a text in the group `builder`.
        var message: String
        /// The number of the changed question or option, from 1.
        var number = 0
        /// The number of questions, or of the question's options.
        var count = 0
    }

    /// Performs the action of a button with this value. Examples of such values are `up:2`, `move:4:0`, `copy:2`,
    /// `add:rating` and `option-add:2:1`; the numbers are indices of questions and options. Nil if nothing changes.
    mutating func apply(_ action: String) -> Effect? {
        let parts = action.split(separator: ":").map(String.init)
        guard parts.count > 1 else { return nil }
        if parts[0] == "add" { return add(parts[1]) }
        let numbers = parts.dropFirst().compactMap { Int($0) }
        guard numbers.count == parts.count - 1, questions.indices.contains(numbers[0]) else { return nil }
        let index = numbers[0]
        switch parts[0] {
        case "up": return move(index, to: index - 1, by: "up")
        case "down": return move(index, to: index + 1, by: "down")
        case "move" where numbers.count > 1: return move(index, to: numbers[1], by: "move")
        case "remove":
            questions.remove(at: index)
            let next = min(index, questions.count - 1)
            return Effect(focus: next < 0 ? .adding : .question(next), message: "said-removed", number: index + 1)
        case "copy" where questions.count < Self.maxQuestions:
            var copy = questions[index]
            copy.key = ""
            for option in copy.options.indices { copy.options[option].id = "" }
            questions.insert(copy, at: index + 1)
            return effect(.question(index + 1), "said-copied", index + 1)
        default: return applyToOption(parts[0], index, numbers.dropFirst().first)
        }
    }

    private func effect(_ focus: Effect.Focus, _ message: String, _ index: Int) -> Effect {
        Effect(focus: focus, message: message, number: index + 1, count: questions.count)
    }

    private mutating func move(_ index: Int, to newIndex: Int, by button: String) -> Effect? {
        guard questions.indices.contains(newIndex), newIndex != index else { return nil }
        questions.insert(questions.remove(at: index), at: newIndex)
        // The focus stays on the button that was pressed. The first question has no button `up` and the last no `down`.
        let next =
            button == "up" && newIndex == 0
            ? "down" : button == "down" && newIndex == questions.count - 1 ? "up" : button
        return effect(.button("\(next):\(newIndex)"), "said-moved", newIndex)
    }

    private mutating func add(_ kind: String) -> Effect? {
        guard questions.count < Self.maxQuestions else { return nil }
        var question = Question(kind: kind == "nps" ? "rating" : kind)
        switch kind {
        case "rating", "text": break
        case "nps": (question.min, question.max, question.isNPS) = ("0", "10", true)
        case "choice": question.options = [Option(), Option()]
        default: return nil
        }
        questions.append(question)
        return effect(.question(questions.count - 1), "said-added", questions.count - 1)
    }

    private mutating func applyToOption(_ action: String, _ question: Int, _ option: Int?) -> Effect? {
        let options = questions[question].options
        if action == "option-add" {
            guard options.count < Self.maxOptions else { return nil }
            let new = option.map { min(max($0, -1), options.count - 1) + 1 } ?? options.count
            questions[question].options.insert(Option(), at: new)
            return Effect(focus: .option(question: question, option: new), message: "said-option-added")
        }
        guard let option, options.indices.contains(option) else { return nil }
        switch action {
        case "option-remove":
            questions[question].options.remove(at: option)
            let next = min(option, options.count - 2)
            return Effect(
                focus: next < 0 ? .question(question) : .option(question: question, option: next),
                message: "said-option-removed", number: option + 1)
        case "option-up" where option > 0: questions[question].options.swapAt(option, option - 1)
        case "option-down" where option + 1 < options.count: questions[question].options.swapAt(option, option + 1)
        default: return nil
        }
        let new = action == "option-up" ? option - 1 : option + 1
        let next = new == 0 ? "option-down" : new == options.count - 1 ? "option-up" : action
        return Effect(
            focus: .button("\(next):\(question):\(new)"), message: "said-option-moved", number: new + 1,
            count: options.count)
    }

    private static let maxOptions = 50
}
