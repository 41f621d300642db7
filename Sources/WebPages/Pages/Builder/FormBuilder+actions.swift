import Foundation

extension FormBuilder {
    /// Where a button has moved the focus, and what the page reports about the change.
    struct Effect: Equatable {
        enum Focus: Equatable {
            case question(Int)
            case option(question: Int, option: Int)
            /// The first field of a test.
            case condition(question: Int, test: Int)
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
        defer { markIfNeeded() }
        if action == "undo" { return undo() }
        let parts = action.split(separator: ":").map(String.init)
        guard parts.count > 1 else { return nil }
        switch parts[0] {
        case "add": return add(parts[1])
        case "fold": return fold(parts[1])
        default: break
        }
        let numbers = parts.dropFirst().compactMap { Int($0) }
        guard numbers.count == parts.count - 1, questions.indices.contains(numbers[0]) else { return nil }
        let index = numbers[0]
        switch parts[0] {
        case "up": return move(index, to: index - 1, by: "up")
        case "down": return move(index, to: index + 1, by: "down")
        case "move" where numbers.count > 1: return move(index, to: numbers[1], by: "move")
        case "remove":
            record(.question(questions.remove(at: index), at: index))
            let next = min(index, questions.count - 1)
            return Effect(focus: next < 0 ? .adding : .question(next), message: "said-removed", number: index + 1)
        case "copy" where questions.count < Self.maxQuestions:
            undos = []
            var copy = questions[index]
            (copy.key, copy.isFolded) = ("", false)
            for option in copy.options.indices { copy.options[option].id = "" }
            questions.insert(copy, at: index + 1)
            return effect(.question(index + 1), "said-copied", index + 1)
        case let action where action.hasPrefix("if-"):
            return applyToCondition(action, index, numbers.dropFirst().first)
        default: return applyToOption(parts[0], index, numbers.dropFirst().first)
        }
    }

    private func effect(_ focus: Effect.Focus, _ message: String, _ index: Int) -> Effect {
        Effect(focus: focus, message: message, number: index + 1, count: questions.count)
    }

    private mutating func move(_ index: Int, to newIndex: Int, by button: String) -> Effect? {
        guard questions.indices.contains(newIndex), newIndex != index else { return nil }
        questions.insert(questions.remove(at: index), at: newIndex)
        record(.move(from: newIndex, to: index))
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
        case "choice", "grid": question.options = [Option(), Option()]
        default: return nil
        }
        questions.append(question)
        return effect(.question(questions.count - 1), "said-added", questions.count - 1)
    }

    private mutating func applyToOption(_ action: String, _ question: Int, _ option: Int?) -> Effect? {
        let options = questions[question].options
        if action == "option-lines" { return splitLines(question, option) }
        if action == "option-add" {
            guard options.count < Self.maxOptions else { return nil }
            undos = []
            let new = option.map { min(max($0, -1), options.count - 1) + 1 } ?? options.count
            questions[question].options.insert(Option(), at: new)
            return Effect(focus: .option(question: question, option: new), message: "said-option-added")
        }
        guard let option, options.indices.contains(option) else { return nil }
        switch action {
        case "option-remove":
            record(.option(questions[question].options.remove(at: option), question: question, at: option))
            let next = min(option, options.count - 2)
            return Effect(
                focus: next < 0 ? .question(question) : .option(question: question, option: next),
                message: "said-option-removed", number: option + 1)
        case "option-up" where option > 0: questions[question].options.swapAt(option, option - 1)
        case "option-down" where option + 1 < options.count: questions[question].options.swapAt(option, option + 1)
        default: return nil
        }
        let new = action == "option-up" ? option - 1 : option + 1
        record(.moveOption(question: question, from: new, to: option))
        let next = new == 0 ? "option-down" : new == options.count - 1 ? "option-up" : action
        return Effect(
            focus: .button("\(next):\(question):\(new)"), message: "said-option-moved", number: new + 1,
            count: options.count)
    }

    private mutating func fold(_ mode: String) -> Effect? {
        guard !questions.isEmpty, ["all", "none"].contains(mode) else { return nil }
        for index in questions.indices { questions[index].isFolded = mode == "all" }
        return Effect(
            focus: .button(mode == "all" ? "fold:none" : "fold:all"),
            message: mode == "all" ? "said-folded" : "said-unfolded")
    }

    /// Splits an option whose text has several lines, as after pasting a list. Without an option, adds the lines that
    /// were typed into the field for several options.
    private mutating func splitLines(_ question: Int, _ option: Int?) -> Effect? {
        guard let option else {
            let count = questions[question].addLines()
            guard count > 0 else { return nil }
            undos = []
            return Effect(
                focus: .option(question: question, option: questions[question].options.count - 1),
                message: "said-options-added", count: count)
        }
        guard questions[question].options.indices.contains(option) else { return nil }
        let labels = Question.labels(in: questions[question].options[option].label)
        guard labels.count > 1 else { return nil }
        undos = []
        let room = max(0, Self.maxReadOptions - questions[question].options.count)
        let more = labels.dropFirst().prefix(room).map { Option(label: $0) }
        questions[question].options[option].label = labels[0]
        questions[question].options.insert(contentsOf: more, at: option + 1)
        return Effect(
            focus: .option(question: question, option: option + more.count), message: "said-options-added",
            count: more.count + 1)
    }

    private static let maxOptions = 50
}

extension FormBuilder.Question {
    /// The labels on the lines of a text, without blank lines. At most one more than a question can have.
    static func labels(in text: String) -> [String] {
        var labels: [String] = []
        for line in TextLines(text) {
            guard labels.count <= FormBuilder.maxReadOptions else { break }
            let label = line.trimmingCharacters(in: .whitespaces)
            if !label.isEmpty { labels.append(label) }
        }
        return labels
    }

    /// Adds an option for each line of `lines`, and clears it. Empty options at the end are filled first. Returns the
    /// number of lines.
    @discardableResult mutating func addLines() -> Int {
        let labels = Self.labels(in: lines)
        lines = ""
        guard !labels.isEmpty else { return 0 }
        while let last = options.last, last.id.isEmpty, last.label.isEmpty { options.removeLast() }
        let added = labels.prefix(Swift.max(0, FormBuilder.maxReadOptions - options.count))
        options += added.map { FormBuilder.Option(label: $0) }
        return added.count
    }
}
