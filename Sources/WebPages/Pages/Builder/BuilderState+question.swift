import Contract

extension BuilderState {
    func question(_ index: Int) -> BuilderPage.Question {
        let question = builder.questions[index]
        let questionFaults = faults.filter { $0.pointer.hasPrefix("/questions/\(index)/") }
        let isPublished = isPublished(question.key)
        let isAnswered = hasAnswers(to: question.key)
        var fieldNames: Set<String> = []
        func field(
            _ name: String, _ value: String, _ kind: PageField.Kind = .line, mode: String = "", maxLength: Int = 0,
            fixed: String = ""
        ) -> PageField {
            fieldNames.insert(name)
            return PageField(
                name: "q\(index).\(name)", label: page.texts("builder.q-\(name)"), value: value, kind: kind,
                id: "q\(index)-\(name)", inputMode: mode, fixed: fixed.isEmpty ? "" : page.texts("builder.\(fixed)"),
                faults: page.messages(for: questionFaults, at: "/questions/\(index)/\(name)"), maxLength: maxLength)
        }
        func tick(_ name: String, _ value: Bool, fixed: String = "") -> PageField {
            field(name, value ? "on" : "", .tick, fixed: fixed)
        }
        var title = field("title", question.title, maxLength: 300)
        title.isFocused = effect?.focus == .question(index)
        let description = field("description", question.description, maxLength: 500)
        var more: [PageField] = [description]
        let required = tick("required", question.required)
        var (rating, choice): (BuilderPage.Question.Rating?, BuilderPage.Question.Choice?)
        switch question.kind {
        case "rating":
            let fixed = isPublished ? "fixed-published" : ""
            let ends =
                question.isNPS
                ? []
                : [
                    field("min", question.min, mode: "numeric", fixed: fixed),
                    field("max", question.max, mode: "numeric", fixed: fixed),
                ]
            let labels = [
                field("minLabel", question.minLabel, maxLength: 300),
                field("maxLabel", question.maxLabel, maxLength: 300),
            ]
            more.append(field("abstain", question.abstain, maxLength: 300))
            rating = .init(
                metric: question.isNPS ? "nps" : "mean",
                range: question.isNPS ? .init(min: question.min, max: question.max) : nil,
                ends: ends.map(\.values), labels: labels.map(\.values))
        case "choice":
            let settings = [
                tick("multiple", question.multiple, fixed: isAnswered ? "fixed-answers" : ""),
                tick("other", question.other),
            ]
            let sentIndices = Dictionary(uniqueKeysWithValues: question.sentOptions.enumerated().map { ($1, $0) })
            choice = .init(
                listTitle: page.texts("builder.options"), addLabel: page.texts("builder.option-add"),
                optionFaults: questionFaults.filter { $0.pointer == "/questions/\(index)/options" }.map(page.message),
                options: question.options.indices.map { option(index, $0, sentAs: sentIndices[$0], questionFaults) },
                lines: field("lines", question.lines, .lines(4)).values, settings: settings.map(\.values))
            more += [
                field("minSelections", question.minSelections, mode: "numeric"),
                field("maxSelections", question.maxSelections, mode: "numeric"),
            ]
            fieldNames.insert("options")
        case "grid":
            let fixed = isPublished ? "fixed-published" : ""
            rating = .init(
                metric: question.isNPS ? "nps" : "mean", range: nil,
                ends: [
                    field("min", question.min, mode: "numeric", fixed: fixed).values,
                    field("max", question.max, mode: "numeric", fixed: fixed).values,
                ],
                labels: [
                    field("minLabel", question.minLabel, maxLength: 300).values,
                    field("maxLabel", question.maxLabel, maxLength: 300).values,
                ])
            let sentIndices = Dictionary(uniqueKeysWithValues: question.sentOptions.enumerated().map { ($1, $0) })
            var pointLabels = field("pointLabels", question.pointLabels, .lines(5))
            pointLabels.faults += page.messages(for: questionFaults, at: "/questions/\(index)/labels")
            choice = .init(
                listTitle: page.texts("builder.statements"), addLabel: page.texts("builder.statement-add"),
                optionFaults: questionFaults.filter { $0.pointer == "/questions/\(index)/statements" }
                    .map(page.message),
                options: question.options.indices.map { option(index, $0, sentAs: sentIndices[$0], questionFaults) },
                lines: field("lines", question.lines, .lines(4)).values, settings: [pointLabels.values])
            more.append(field("abstain", question.abstain, maxLength: 300))
            fieldNames.formUnion(["statements", "labels"])
        default: more.append(field("maxLength", question.maxLength, mode: "numeric"))
        }
        let isFolded = question.isFolded && questionFaults.isEmpty && !isFocused(index)
        let condition = condition(index)
        let otherFaults = questionFaults.filter { fault in
            !fieldNames.contains { page.messages(for: [fault], at: "/questions/\(index)/\($0)").count > 0 }
        }
        return BuilderPage.Question(
            index: index, number: index + 1, key: question.key, kind: question.kind,
            kindName: page.texts("builder.kind-\(question.isNPS ? "nps" : question.kind)"),
            handleLabel: page.texts("builder.handle", ["number": "\(index + 1)"]),
            isHandleFocused: effect?.focus == .button("move:\(index)"), isOpen: !isFolded,
            shortTitle: shortTitle(question), faults: otherFaults.map(page.message),
            questionTitle: title.values, rating: rating, choice: choice, required: required.values,
            condition: condition,
            more: more.map(\.values),
            isMoreOpen: more.contains { !$0.faults.isEmpty } || !question.description.isEmpty
                || !question.abstain.isEmpty,
            buttons: buttons(index))
    }

    /// Whether the focus is on a field of the question.
    private func isFocused(_ index: Int) -> Bool {
        switch effect?.focus {
        case .question(index): true
        case .option(let question, _), .condition(let question, _): question == index
        default: false
        }
    }

    func shortTitle(_ question: FormBuilder.Question) -> String {
        FormBuilder.isBlank(question.title)
            ? page.texts("builder.untitled") : question.title.shortened(to: Self.maxLabelLength)
    }

    /// - Parameter sent: The option's index in the definition that was sent; nil for an empty option.
    private func option(
        _ index: Int, _ optionIndex: Int, sentAs sent: Int?, _ questionFaults: [ProblemBody.FaultBody]
    ) -> BuilderPage.Option {
        let question = builder.questions[index]
        let (list, prefix) = question.kind == "grid" ? ("statements", "statement") : ("options", "option")
        let faults = sent.map { page.messages(for: questionFaults, at: "/questions/\(index)/\(list)/\($0)") } ?? []
        let number = "\(optionIndex + 1)"
        let buttons = [
            ("up", "↑", optionIndex > 0), ("down", "↓", optionIndex + 1 < question.options.count),
            ("remove", "×", true),
        ]
        return BuilderPage.Option(
            id: question.options[optionIndex].id, text: question.options[optionIndex].label,
            note: question.kind == "grid" ? question.options[optionIndex].note : nil, optionIndex: optionIndex,
            fieldLabel: page.texts("builder.\(prefix)-number", ["number": number]), faults: faults,
            hasFaults: !faults.isEmpty, isFocused: effect?.focus == .option(question: index, option: optionIndex),
            buttons: buttons.filter(\.2).map { name, symbol, _ in
                button(
                    "option-\(name):\(index):\(optionIndex)",
                    page.texts("builder.\(prefix)-\(name)", ["number": number]), symbol)
            })
    }

    private func buttons(_ index: Int) -> [BuilderPage.Button] {
        let count = builder.questions.count
        let names = [("up", index > 0), ("down", index + 1 < count), ("copy", true), ("remove", true)]
        return names.filter(\.1).map { name, _ in button("\(name):\(index)", page.texts("builder.\(name)")) }
    }

    func button(_ action: String, _ label: String, _ symbol: String = "") -> BuilderPage.Button {
        .init(action: action, label: label, symbol: symbol, isFocused: effect?.focus == .button(action))
    }
}
