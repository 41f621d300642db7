import Foundation

extension FormBuilder {
    /// The effect of a button: where the focus is, and what the page says.
    struct Effect: Equatable {
        enum Focus: Equatable {
            case question(Int)
            case option(question: Int, option: Int)
            /// The button that moved a question or option.
            case button(String)
            case adding
        }

        var focus: Focus
        /// A text of the group `builder`.
        var said: String
        var place = 0
        var count = 0
    }

    /// Applies the value of a button: `up:2`, `move:4:0`, `copy:2`, `add:rating`, `option-add:2:1`.
    mutating func apply(_ action: String) -> Effect? {
        let words = action.split(separator: ":").map(String.init)
        guard words.count > 1 else { return nil }
        if words[0] == "add" { return add(words[1]) }
        let numbers = words.dropFirst().compactMap { Int($0) }
        guard numbers.count == words.count - 1, questions.indices.contains(numbers[0]) else { return nil }
        let index = numbers[0]
        switch words[0] {
        case "up": return move(index, to: index - 1, by: "up")
        case "down": return move(index, to: index + 1, by: "down")
        case "move" where numbers.count > 1: return move(index, to: numbers[1], by: "move")
        case "remove":
            questions.remove(at: index)
            let next = min(index, questions.count - 1)
            return Effect(focus: next < 0 ? .adding : .question(next), said: "said-removed", place: index + 1)
        case "copy" where questions.count < Self.maxQuestions:
            var copy = questions[index]
            copy.key = ""
            for place in copy.options.indices { copy.options[place].id = "" }
            questions.insert(copy, at: index + 1)
            return effect(.question(index + 1), "said-copied", index + 1)
        default: return applyToOption(words[0], index, numbers.dropFirst().first)
        }
    }

    private func effect(_ focus: Effect.Focus, _ said: String, _ index: Int) -> Effect {
        Effect(focus: focus, said: said, place: index + 1, count: questions.count)
    }

    private mutating func move(_ index: Int, to place: Int, by button: String) -> Effect? {
        guard questions.indices.contains(place), place != index else { return nil }
        questions.insert(questions.remove(at: index), at: place)
        // The first and last question have only one of the buttons.
        let next =
            button == "up" && place == 0 ? "down" : button == "down" && place == questions.count - 1 ? "up" : button
        return effect(.button("\(next):\(place)"), "said-moved", place)
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

    private mutating func applyToOption(_ action: String, _ question: Int, _ place: Int?) -> Effect? {
        let options = questions[question].options
        if action == "option-add" {
            guard options.count < Self.maxOptions else { return nil }
            let new = place.map { min(max($0 + 1, 0), options.count) } ?? options.count
            questions[question].options.insert(Option(), at: new)
            return Effect(focus: .option(question: question, option: new), said: "said-option-added")
        }
        guard let place, options.indices.contains(place) else { return nil }
        switch action {
        case "option-remove":
            questions[question].options.remove(at: place)
            let next = min(place, options.count - 2)
            return Effect(
                focus: next < 0 ? .question(question) : .option(question: question, option: next),
                said: "said-option-removed", place: place + 1)
        case "option-up" where place > 0: questions[question].options.swapAt(place, place - 1)
        case "option-down" where place + 1 < options.count: questions[question].options.swapAt(place, place + 1)
        default: return nil
        }
        let new = action == "option-up" ? place - 1 : place + 1
        let next = new == 0 ? "option-down" : new == options.count - 1 ? "option-up" : action
        return Effect(
            focus: .button("\(next):\(question):\(new)"), said: "said-option-moved", place: new + 1,
            count: options.count)
    }

    private static let maxOptions = 50
}
