import Contract
import Domain

extension BuilderState {
    /// The number of questions, and of comparisons, that all tests of a page offer together.
    private static let maxChoices = 10_000
    /// The length of titles and labels in them, which are repeated in many tests.
    static let maxLabelLength = 80

    /// The number of questions, and of comparisons, that one test offers. All of them, unless a form has more than about
    /// a hundred tests.
    private var choicesOfATest: Int {
        let tests = builder.questions.reduce(0) { $0 + $1.tests.count }
        return max(5, Self.maxChoices / max(tests, 1))
    }

    /// The fields of the condition under which a question is asked. Nil for a question that cannot have one, because it
    /// is the first, or the form is anonymous.
    func condition(_ index: Int) -> BuilderPage.Condition? {
        let question = builder.questions[index]
        guard index > 0 && !builder.anonymous || !question.tests.isEmpty else { return nil }
        let canAdd = index > 0 && question.tests.count < FormBuilder.Test.maxCount && !builder.anonymous
        let name = question.tests.isEmpty ? "builder.if-add" : "builder.if-add-another"
        return .init(
            hasTests: !question.tests.isEmpty, tests: question.tests.indices.map { test($0, of: index) },
            joinLabel: question.tests.count > 1 ? page.texts("builder.if-join") : nil,
            joins: ["all", "any"].map { name in
                .init(
                    value: name, label: page.texts("builder.if-\(name)"),
                    isChosen: question.joinsAny == (name == "any"))
            },
            add: canAdd ? button("if-add:\(index)", page.texts(name)) : nil,
            refusal: builder.anonymous ? page.texts("builder.if-anonymous") : nil)
    }

    private func test(_ testIndex: Int, of index: Int) -> BuilderPage.Condition.Test {
        let test = builder.questions[index].tests[testIndex]
        let number = ["number": "\(testIndex + 1)"]
        let target = builder.question(of: test)
        let isPossible = builder.isPossible(test, of: index)
        // A question that was removed or moved stays chosen, so that undoing brings the condition back.
        let all = builder.testedQuestions(before: builder.questions.count)
        func choice(_ tested: (index: Int, key: String, statement: Int?)) -> BuilderPage.Condition.Choice {
            .init(value: tested.key, label: label(of: tested), isChosen: tested.key == test.question)
        }
        var choices = all.filter { $0.index < index }.suffix(choicesOfATest).map(choice)
        if !choices.contains(where: \.isChosen) {
            let former = all.first { $0.key == test.question }.map(choice)
            choices.append(
                former ?? .init(value: test.question, label: page.texts("builder.if-gone"), isChosen: true))
        }
        var checks = Array((target.map { builder.questions[$0].checks } ?? []).prefix(choicesOfATest))
        if !checks.contains(test.check) { checks.append(test.check) }
        return .init(
            questionLabel: page.texts("builder.if-question", number),
            checkLabel: page.texts("builder.if-check", number), questions: choices,
            checks: checks.map { check in
                .init(value: check, label: words(for: check, target), isChosen: check == test.check)
            },
            warning: isPossible ? nil : page.texts("builder.if-lost"),
            isFocused: effect?.focus == .condition(question: index, test: testIndex),
            pick: button("if-pick:\(index):\(testIndex)", page.texts("builder.if-pick")),
            remove: button("if-remove:\(index):\(testIndex)", page.texts("builder.if-remove", number), "×"))
    }

    /// `2. How was the pace?`, or `3. It was clear` for a statement of a grid.
    private func label(of tested: (index: Int, key: String, statement: Int?)) -> String {
        let question = builder.questions[tested.index]
        let title = tested.statement.map { question.options[$0].label.shortened(to: Self.maxLabelLength) }
        return "\(tested.index + 1). " + (title ?? shortTitle(question))
    }

    /// A comparison in words, such as "is at least 4".
    private func words(for check: String, _ target: Int?) -> String {
        let parts = check.split(separator: ":", maxSplits: 1).map(String.init)
        let question = target.map { builder.questions[$0] }
        var value = parts.count > 1 ? parts[1] : ""
        if question?.kind == "choice", let option = question?.options.first(where: { $0.id == value }) {
            value = option.label
        }
        if value == Limits.abstention, let label = question?.abstain.nonEmpty { value = label }
        if value == FormSheet.other, question?.kind == "choice" { value = page.texts("form.other") }
        var name = parts.first ?? "answered"
        if question?.kind == "choice", question?.multiple == true, ["is", "isNot"].contains(name) { name += "-among" }
        return page.texts("builder.if-\(name)", ["value": value.shortened(to: Self.maxLabelLength)])
    }
}
