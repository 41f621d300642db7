import Contract
import Foundation
import StrictJSON

extension FormBuilder {
    /// The definition to save. Each new question gets a key, which later rounds keep, and each new option gets an id.
    /// Text that can't be parsed is sent unchanged, so that the API reports the fault.
    ///
    /// - Parameter taken: Keys that no new question may have.
    func definition(zone: TimeZone, avoiding taken: Set<String> = []) -> JSONValue {
        var taken = taken.union(questions.map(\.key))
        for question in questions where question.kind == "grid" { taken.formUnion(question.options.map(\.id)) }
        var keys: [String: String] = [:]
        var optionIDs: [String: [String: String]] = [:]
        let questions = questions.map { question -> JSONValue in
            var question = question
            let mark = question.key
            if question.isNew {
                question.key = Self.identifier(for: question.title, avoiding: taken, fallback: "q")
                taken.insert(question.key)
            }
            keys[mark] = question.key
            // The statements of a grid have keys, like questions.
            let isGrid = question.kind == "grid"
            optionIDs[mark] = question.nameOptions(avoiding: isGrid ? taken : [])
            if isGrid {
                taken.formUnion(question.options.map(\.id))
                keys.merge(optionIDs[mark] ?? [:]) { first, _ in first }
            }
            let tests = question.tests.map { test in
                test.json(key: { keys[$0] ?? $0 }, option: { optionIDs[test.question]?[$0] ?? $0 })
            }
            return question.definition(showIf: tests)
        }
        var members: [JSONValue.Member] = [
            .init("title", .string(title)), .init("intro", intro.isEmpty ? .null : .string(intro)),
            .init("identity", .string(identity)), .init("anonymous", .bool(anonymous)),
            .init("showResults", .string(showResults)), .init("cap", Self.number(cap) ?? .null),
            .init("opens", opens.json(zone: zone)), .init("closes", closes.json(zone: zone)),
            .init("autoPublish", .bool(autoPublish)), .init("oneByOne", .bool(oneByOne)),
            .init("questions", .array(questions)),
        ]
        for (name, text) in [("minimumGroup", minimumGroup), ("graceMinutes", graceMinutes)] {
            if let number = Self.number(text) { members.append(.init(name, number)) }
        }
        return .object(members)
    }

    /// A whole number; other text stays a string, so that the API reports the fault. Nil for empty text.
    static func number(_ text: String) -> JSONValue? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if text.isEmpty { return nil }
        return Int(text).map { JSONValue($0) } ?? .string(text)
    }

    /// A key or id made from the first Latin words of a text: `which_parts_helped`. Without such words, it is the
    /// letter `fallback` with a number.
    fileprivate static func identifier(
        for text: String, avoiding taken: Set<String>, fallback letter: String
    ) -> String {
        let base = latinWords(of: text) ?? letter
        // `other`, alone or with a suffix, is reserved for respondents' own answers.
        if base != letter, base != FormSheet.other, !base.hasPrefix(FormSheet.other + "_"), !taken.contains(base) {
            return base
        }
        return (1...1_000).lazy.map { "\(base)\($0)" }.first { !taken.contains($0) } ?? base
    }

    /// The first three words of ASCII letters and digits in a text, joined by `_` and cut to 30 characters. Nil unless
    /// they begin with a letter.
    private static func latinWords(of text: String) -> String? {
        let words = text.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let name = words.prefix(3).joined(separator: "_").prefix(30)
        return name.first?.isLetter == true ? String(name) : nil
    }

    /// Clears the id of each option whose label has changed, so that `definition` makes an id from the new label.
    /// Otherwise exports would keep ids like `option_1`. Must only be called for a form without submissions, because
    /// answers refer to the ids. An id that was not made from the old label stays.
    mutating func renewOptionIDs(comparedWith saved: [QuestionBody]) {
        for index in questions.indices {
            let oldOptions = saved.first { $0.key == questions[index].key }?.options ?? []
            for optionIndex in questions[index].options.indices {
                let option = questions[index].options[optionIndex]
                // The conditions of other questions may refer to it.
                if questions.contains(where: { $0.tests.contains { $0.question == questions[index].key } }) { continue }
                guard let oldLabel = oldOptions.first(where: { $0.id == option.id })?.label, oldLabel != option.label
                else { continue }
                let (oldName, newName) = (Self.latinWords(of: oldLabel), Self.latinWords(of: option.label))
                guard oldName != nil || newName != nil, Self.isDerived(option.id, from: oldName ?? "o")
                else { continue }
                questions[index].options[optionIndex].id = ""
            }
        }
    }

    /// Whether an id is a name with or without a number, such as `demo` or `demo2`.
    private static func isDerived(_ id: String, from name: String) -> Bool {
        id.hasPrefix(name) && id.dropFirst(name.count).allSatisfy { $0.isASCII && $0.isNumber }
    }
}

extension FormBuilder.Question {
    /// The indices of the options that are sent: those whose label is not empty.
    var sentOptions: [Int] {
        options.indices.filter { !FormBuilder.isBlank(options[$0].label) }
    }

    /// - Parameter tests: The condition under which the question is asked.
    fileprivate func definition(showIf tests: [JSONValue]) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("key", .string(key)), .init("kind", .string(kind)), .init("title", .string(title)),
            .init("required", .bool(required)),
        ]
        func add(_ name: String, _ value: JSONValue?) {
            if let value { members.append(.init(name, value)) }
        }
        func text(_ text: String) -> JSONValue? { text.isEmpty ? nil : .string(text) }
        add("description", text(description))
        if tests.count == 1 { add("showIf", tests[0]) }
        if tests.count > 1 { add("showIf", .object([.init(joinsAny ? "any" : "all", .array(tests))])) }
        switch kind {
        case "grid":
            let labels = Self.labels(in: pointLabels)
            add("min", FormBuilder.number(min))
            if labels.isEmpty {
                add("max", FormBuilder.number(max))
                add("minLabel", text(minLabel))
                add("maxLabel", text(maxLabel))
            } else {
                // The labels say how many points there are.
                if let low = Int(min) { add("max", JSONValue(low + labels.count - 1)) }
                add("labels", .array(labels.map { .string($0) }))
            }
            if isNPS { add("metric", .string("nps")) }
            add("abstain", text(abstain))
            add(
                "statements",
                .array(
                    sentOptions.map { index in
                        .object([
                            .init("key", .string(options[index].id)), .init("title", .string(options[index].label)),
                            .init("description", text(options[index].note) ?? .null),
                        ])
                    }))
        case "rating":
            add("min", FormBuilder.number(min))
            add("max", FormBuilder.number(max))
            add("minLabel", text(minLabel))
            add("maxLabel", text(maxLabel))
            if isNPS { add("metric", .string("nps")) }
            add("abstain", text(abstain))
        case "choice":
            add("multiple", .bool(multiple))
            add("other", .bool(other))
            add("options", .array(optionDefinitions))
            if multiple {
                add("minSelections", FormBuilder.number(minSelections))
                add("maxSelections", FormBuilder.number(maxSelections))
            }
        default: add("maxLength", FormBuilder.number(maxLength))
        }
        return .object(members)
    }

    private var optionDefinitions: [JSONValue] {
        sentOptions.map { index in
            .object([.init("id", .string(options[index].id)), .init("label", .string(options[index].label))])
        }
    }

    /// Gives each option that is sent an id. Returns the ids by the marks that the options had.
    fileprivate mutating func nameOptions(avoiding others: Set<String>) -> [String: String] {
        var taken = others.union(options.map(\.id))
        var names: [String: String] = [:]
        for index in sentOptions where options[index].id.isEmpty || FormBuilder.isMark(options[index].id) {
            let mark = options[index].id
            options[index].id = FormBuilder.identifier(for: options[index].label, avoiding: taken, fallback: "o")
            taken.insert(options[index].id)
            names[mark] = options[index].id
        }
        return names
    }
}
