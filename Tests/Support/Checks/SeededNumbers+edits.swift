import Domain

/// Edits of a published form.
extension SeededNumbers {
    /// Up to four edits that are allowed after the first answer.
    ///
    /// - Parameters:
    ///   - retired: Questions of earlier versions, as last defined.
    ///   - conditions: Whether questions may depend on answers to earlier ones.
    public mutating func edited(
        _ definition: FormDefinition, retired: [Question], conditions: Bool = false
    ) -> FormDefinition {
        var edited = definition
        for _ in 0...int(0...3) { edit(&edited, retired) }
        Self.removeBrokenGrids(from: &edited.questions)
        if conditions { editConditions(&edited) }
        Self.removeBrokenGrids(from: &edited.questions)
        return edited
    }

    private mutating func edit(_ definition: inout FormDefinition, _ retired: [Question]) {
        let index = int(0...definition.questions.count - 1)
        let asked = Set(definition.questions.map(\.key))
        switch int(0...6) {
        case 0 where definition.questions.count > 1: definition.questions.remove(at: index)
        case 1 where definition.questions.count > 1: definition.questions.shuffle(using: &self)
        case 2:
            // No other question has had this key, so any kind is allowed.
            definition.questions.insert(question("n\(next() % 1_000_000_000)"), at: index)
        case 3:
            let absent = retired.filter { !asked.contains($0.key) }
            guard !absent.isEmpty else { return }
            definition.questions.append(one(of: absent))
        default: edit(&definition.questions[index])
        }
    }

    private mutating func edit(_ question: inout Question) {
        switch int(0...3) {
        case 0: question.title = label()
        case 1: question.description = chance() ? text() : nil
        case 2: question.required.toggle()
        default: break
        }
        switch question.kind {
        case .text: question.kind = .text(maxLength: int(100...10_000))
        case .rating(var rating):
            if chance() { rating.minLabel = chance() ? text() : nil } else { rating.maxLabel = text() }
            if int(0...3) == 0 { rating.abstain = chance() ? label() : nil }
            if rating.min == 0, rating.max == 10 { rating.metric = one(of: Question.Rating.Metric.allCases) }
            question.kind = .rating(rating)
        case .choice(var choice):
            edit(&choice)
            question.kind = .choice(choice)
        }
    }

    private mutating func edit(_ choice: inout Question.Choice) {
        let index = int(0...choice.options.count - 1)
        switch int(0...5) {
        case 0 where choice.options.count > 1: choice.options.remove(at: index)
        case 1: choice.options.shuffle(using: &self)
        case 2: choice.options[index].label = label()
        case 3: choice.other.toggle()
        case 4 where choice.options.count < 50:
            // This may be the id of an option that was removed earlier.
            let id = "o\(int(0...9))"
            if !choice.options.contains(where: { $0.id == id }) { choice.options.append(.init(id: id, label: label())) }
        default: break
        }
        if choice.multiple { (choice.minSelections, choice.maxSelections) = (0, chance() ? nil : 1) }
    }

    /// An edit that is not allowed once there is an answer; nil if the random choice does not fit this form.
    public mutating func forbiddenEdit(_ definition: FormDefinition, retired: [Question]) -> FormDefinition? {
        var edited = definition
        let index = int(0...edited.questions.count - 1)
        switch int(0...6) {
        case 0: edited.questions = []
        case 1: edited.identity = .device
        case 2:
            edited.anonymous = true
            edited.minimumGroup = 3
        case 3: edited.questions[index].kind = Self.anotherKind(edited.questions[index])
        case 4:
            guard case .rating(var rating) = edited.questions[index].kind else { return nil }
            if rating.metric == .nps { rating.metric = .mean }
            if rating.max == 10 { rating.max = 9 } else { rating.max += 1 }
            edited.questions[index].kind = .rating(rating)
        case 5:
            guard case .choice(var choice) = edited.questions[index].kind else { return nil }
            if chance() {
                choice.multiple.toggle()
                (choice.minSelections, choice.maxSelections) = (0, nil)
            } else {
                guard choice.options.count > 1 else { return nil }
                (choice.options[0].label, choice.options[1].label) = (choice.options[1].label, choice.options[0].label)
            }
            edited.questions[index].kind = .choice(choice)
        default:
            let asked = Set(edited.questions.map(\.key))
            guard var restored = retired.first(where: { !asked.contains($0.key) }) else { return nil }
            restored.kind = Self.anotherKind(restored)
            edited.questions.append(restored)
        }
        Self.removeBrokenGrids(from: &edited.questions)
        return edited
    }

    private static func anotherKind(_ question: Question) -> Question.Kind {
        question.kind.name == .text ? .rating(.init()) : .text(maxLength: 100)
    }
}
