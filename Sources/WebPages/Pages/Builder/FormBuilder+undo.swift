import Foundation

extension FormBuilder {
    /// What takes back a removal or a move. The page keeps it in hidden fields, because the service stores nothing about
    /// a form before it is saved. Any button that inserts in between clears the list, so that the positions stay valid.
    enum Undo: Equatable {
        case question(Question, at: Int)
        case option(Option, question: Int, at: Int)
        case move(from: Int, to: Int)
        case moveOption(question: Int, from: Int, to: Int)

        static let maxCount = 20
        /// The largest total size of the fields, in bytes. Older entries are dropped.
        static let maxBytes = 256 * 1024
    }

    /// Adds an entry to the list, and drops the oldest ones beyond its limits.
    mutating func record(_ undo: Undo) {
        undos = (undos + [undo]).suffix(Undo.maxCount)
        var bytes = 0
        let kept = undos.reversed().prefix { entry in
            bytes += entry.text.utf8.count
            return bytes <= Undo.maxBytes
        }
        undos = kept.reversed()
    }

    /// Takes back the last removal or move. Nil if there is none, or if its positions don't fit the questions.
    mutating func undo() -> Effect? {
        guard let last = undos.popLast() else { return nil }
        switch last {
        case .question(var question, let index):
            guard questions.count < Self.maxQuestions, (0...questions.count).contains(index) else { return nil }
            question.isFolded = false
            questions.insert(question, at: index)
            return Effect(
                focus: .question(index), message: "said-restored", number: index + 1, count: questions.count)
        case .option(let option, let question, let index):
            guard questions.indices.contains(question), (0...questions[question].options.count).contains(index),
                questions[question].options.count < Self.maxReadOptions
            else { return nil }
            questions[question].options.insert(option, at: index)
            return Effect(
                focus: .option(question: question, option: index), message: "said-option-restored", number: index + 1)
        case .move(let from, let to):
            guard questions.indices.contains(from), questions.indices.contains(to) else { return nil }
            questions.insert(questions.remove(at: from), at: to)
            return Effect(focus: .question(to), message: "said-moved", number: to + 1, count: questions.count)
        case .moveOption(let question, let from, let to):
            guard questions.indices.contains(question), questions[question].options.indices.contains(from),
                questions[question].options.indices.contains(to)
            else { return nil }
            questions[question].options.insert(questions[question].options.remove(at: from), at: to)
            return Effect(
                focus: .option(question: question, option: to), message: "said-option-moved", number: to + 1,
                count: questions[question].options.count)
        }
    }
}

// MARK: As a field of the page

extension FormBuilder.Undo {
    /// Parses the value of a hidden field. Nil for any other text.
    init?(_ text: String) {
        let head = text.prefix { $0 != "?" }
        let parts = head.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let numbers = parts.dropFirst().compactMap { Int($0) }
        guard numbers.count == parts.count - 1, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
        let fields = FormFields(String(text.dropFirst(head.count + 1)))
        switch (parts[0], numbers.count) {
        case ("question", 1):
            guard let kind = fields["kind"] else { return nil }
            self = .question(FormBuilder.Question(kind, fields, ""), at: numbers[0])
        case ("option", 2):
            self = .option(
                .init(
                    id: FormBuilder.bounded(id: fields["option-id"] ?? ""), label: fields["option"] ?? "",
                    note: fields["option-note"] ?? ""),
                question: numbers[0],
                at: numbers[1])
        case ("move", 2): self = .move(from: numbers[0], to: numbers[1])
        case ("option-move", 3): self = .moveOption(question: numbers[0], from: numbers[1], to: numbers[2])
        default: return nil
        }
    }

    /// The value of the hidden field.
    var text: String {
        switch self {
        case .question(let question, let index): "question:\(index)" + PathQuery(question.fields).text
        case .option(let option, let question, let index):
            "option:\(question):\(index)"
                + PathQuery(
                    [
                        ("option-id", option.id), ("option", option.label), ("option-note", option.note),
                    ].filter { !$0.1.isEmpty || $0.0 != "option-note" }
                ).text
        case .move(let from, let to): "move:\(from):\(to)"
        case .moveOption(let question, let from, let to): "option-move:\(question):\(from):\(to)"
        }
    }
}

extension FormBuilder.Question {
    /// The fields from which the question is parsed.
    fileprivate var fields: [(name: String, value: String)] {
        let texts = [
            ("kind", kind), ("key", key), ("title", title), ("description", description), ("min", min), ("max", max),
            ("minLabel", minLabel), ("maxLabel", maxLabel), ("metric", isNPS ? "nps" : ""), ("abstain", abstain),
            ("pointLabels", pointLabels),
            ("minSelections", minSelections), ("maxSelections", maxSelections), ("maxLength", maxLength),
            ("lines", lines), ("if-join", joinsAny ? "any" : "all"),
        ]
        let ticks = [("required", required), ("multiple", multiple), ("other", other)]
        return texts.map { (name: $0.0, value: $0.1) } + ticks.filter(\.1).map { (name: $0.0, value: "on") }
            + options.flatMap { [(name: "option-id", value: $0.id), (name: "option", value: $0.label)] }
            + (options.contains { !$0.note.isEmpty } ? options.map { (name: "option-note", value: $0.note) } : [])
            + tests.flatMap { [(name: "if-question", value: $0.question), (name: "if-check", value: $0.check)] }
    }
}
