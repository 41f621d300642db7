import Contract

extension BuilderPage {
    func question(_ index: Int) -> [String: Any] {
        let question = builder.questions[index]
        let own = faults.filter { $0.pointer.hasPrefix("/questions/\(index)/") }
        let known = saved.map { $0.form.version > 0 ? $0.form.definition.questions : [] } ?? []
        let isPublished = !question.key.isEmpty && known.contains { $0.key == question.key }
        let isAnswered = isPublished && (saved?.meeting.submissions ?? 0) > 0
        var used: Set<String> = []
        func field(
            _ name: String, _ value: String, _ kind: PageField.Kind = .line, mode: String = "", most: Int = 0,
            fixed: String = ""
        ) -> PageField {
            used.insert(name)
            return PageField(
                name: "q\(index).\(name)", label: page.texts("builder.q-\(name)"), value: value, kind: kind,
                id: "q\(index)-\(name)", inputMode: mode, fixed: fixed.isEmpty ? "" : page.texts("builder.\(fixed)"),
                faults: page.say(own, at: "/questions/\(index)/\(name)"), maxLength: most)
        }
        func tick(_ name: String, _ value: Bool, fixed: String = "") -> PageField {
            field(name, value ? "on" : "", .tick, fixed: fixed)
        }
        var title = field("title", question.title, most: 300)
        title.isFocused = effect?.focus == .question(index)
        let description = field("description", question.description, most: 500)
        var more: [PageField] = [description]
        var values: [String: Any] = [
            "index": index, "number": index + 1, "key": question.key, "kind": question.kind,
            "kindName": page.texts("builder.kind-\(question.isNPS ? "nps" : question.kind)"),
            "metric": question.isNPS ? "nps" : "mean", "questionTitle": title.values.templateContext,
            "isRating": question.kind == "rating", "isNPS": question.isNPS, "isChoice": question.kind == "choice",
            "required": tick("required", question.required).values.templateContext, "min": question.min,
            "max": question.max,
            "buttons": buttons(index),
            "isHeld": effect?.focus == .button("move:\(index)"),
            "handle": page.texts("builder.handle", ["number": "\(index + 1)"]),
        ]
        switch question.kind {
        case "rating":
            let fixed = isPublished ? "fixed-published" : ""
            if !question.isNPS {
                values["ends"] = [
                    field("min", question.min, mode: "numeric", fixed: fixed),
                    field("max", question.max, mode: "numeric", fixed: fixed),
                ].map(\.values.templateContext)
            }
            values["labels"] = [
                field("minLabel", question.minLabel, most: 300), field("maxLabel", question.maxLabel, most: 300),
            ].map(\.values.templateContext)
        case "choice":
            values["options"] = question.options.indices.map { option(index, $0, own) }
            values["optionFaults"] = own.filter { $0.pointer == "/questions/\(index)/options" }
                .map { ["detail": page.say($0)] }
            values["choice"] = [
                tick("multiple", question.multiple, fixed: isAnswered ? "fixed-answers" : ""),
                tick("other", question.other),
            ].map(\.values.templateContext)
            more += [
                field("minSelections", question.minSelections, mode: "numeric"),
                field("maxSelections", question.maxSelections, mode: "numeric"),
            ]
            used.insert("options")
        default: more.append(field("maxLength", question.maxLength, mode: "numeric"))
        }
        values["more"] = more.map(\.values.templateContext)
        values["isMore"] = more.contains { !$0.faults.isEmpty } || !question.description.isEmpty
        values["faults"] = own.filter { fault in
            !used.contains { page.say([fault], at: "/questions/\(index)/\($0)").count > 0 }
        }.map { ["detail": page.say($0)] }
        return values
    }

    private func option(_ index: Int, _ place: Int, _ own: [ProblemBody.FaultBody]) -> [String: Any] {
        let question = builder.questions[index]
        let sent = question.sentOptions.firstIndex(of: place)
        let faults = sent.map { page.say(own, at: "/questions/\(index)/options/\($0)") } ?? []
        let number = "\(place + 1)"
        let count = question.options.count
        func button(_ act: String, _ symbol: String, _ text: String) -> [String: Any] {
            let press = "\(act):\(index):\(place)"
            return [
                "press": press, "symbol": symbol, "words": page.texts("builder.\(text)", ["number": number]),
                "isFocused": effect?.focus == .button(press),
            ]
        }
        return [
            "id": question.options[place].id, "label": question.options[place].label, "place": place,
            "words": page.texts("builder.option-number", ["number": number]),
            "isFocused": effect?.focus == .option(question: index, option: place),
            "hasFaults": !faults.isEmpty, "details": faults.map { ["detail": $0] },
            "buttons": (place > 0 ? [button("option-up", "↑", "option-up")] : [])
                + (place + 1 < count ? [button("option-down", "↓", "option-down")] : [])
                + [button("option-remove", "×", "option-remove")],
        ]
    }

    private func buttons(_ index: Int) -> [[String: Any]] {
        let count = builder.questions.count
        let acts = [("up", index > 0), ("down", index + 1 < count), ("copy", true), ("remove", true)]
        return acts.filter(\.1).map { act, _ in
            [
                "press": "\(act):\(index)", "words": page.texts("builder.\(act)"), "of": index + 1,
                "isFocused": effect?.focus == .button("\(act):\(index)"),
            ]
        }
    }
}
