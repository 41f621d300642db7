import Contract
import Foundation
import StrictJSON

extension FormBuilder {
    /// The definition to save. Each new question gets a key, which it keeps in all rounds, and each new option an id.
    /// Text that can't be parsed is sent unchanged, so that the API reports the fault.
    ///
    /// - Parameter taken: Keys that no new question may have.
    func definition(zone: TimeZone, besides taken: Set<String> = []) -> JSONValue {
        var taken = taken.union(questions.map(\.key))
        let questions = questions.map { question -> JSONValue in
            var question = question
            if question.key.isEmpty {
                question.key = Self.word(for: question.title, besides: taken, else: "q")
                taken.insert(question.key)
            }
            return question.definition
        }
        var members: [JSONValue.Member] = [
            .init("title", .string(title)), .init("intro", intro.isEmpty ? .null : .string(intro)),
            .init("identity", .string(identity)), .init("anonymous", .bool(anonymous)),
            .init("showResults", .string(showResults)), .init("cap", Self.number(cap) ?? .null),
            .init("opens", opens.json(zone: zone)), .init("closes", closes.json(zone: zone)),
            .init("autoPublish", .bool(autoPublish)), .init("questions", .array(questions)),
        ]
        for (name, text) in [("minimumGroup", minimumGroup), ("graceMinutes", graceMinutes)] {
            if let number = Self.number(text) { members.append(.init(name, number)) }
        }
        return .object(members)
    }

    /// Nil for empty text; text that is no whole number stays a string.
    fileprivate static func number(_ text: String) -> JSONValue? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if text.isEmpty { return nil }
        return Int(text).map { JSONValue($0) } ?? .string(text)
    }

    /// A short name from the first Latin words of a text, else a letter with a number.
    fileprivate static func word(for text: String, besides taken: Set<String>, else letter: String) -> String {
        let first = latinWords(of: text) ?? letter
        // These ids are reserved for own answers.
        if first != letter, first != FormSheet.other, !first.hasPrefix(FormSheet.other + "_"), !taken.contains(first) {
            return first
        }
        return (1...1_000).lazy.map { "\(first)\($0)" }.first { !taken.contains($0) } ?? first
    }
}

extension FormBuilder {
    private static func latinWords(of text: String) -> String? {
        let words = text.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let name = words.prefix(3).joined(separator: "_").prefix(30)
        return name.first?.isLetter == true ? String(name) : nil
    }

    /// Gives options with a changed label a new id, made from the label. Only for a form without submissions, whose exports
    /// would otherwise keep `option_1`. An id that was not made from a label stays.
    mutating func renameOptions(since saved: [QuestionBody]) {
        for index in questions.indices {
            let before = saved.first { $0.key == questions[index].key }?.options ?? []
            for place in questions[index].options.indices {
                let option = questions[index].options[place]
                guard let old = before.first(where: { $0.id == option.id }), old.label != option.label else { continue }
                let (name, newName) = (Self.latinWords(of: old.label), Self.latinWords(of: option.label))
                guard name != nil || newName != nil, Self.isNumbered(option.id, name ?? "o") else { continue }
                questions[index].options[place].id = ""
            }
        }
    }

    /// `demo`, `demo2`.
    private static func isNumbered(_ id: String, _ name: String) -> Bool {
        id.hasPrefix(name) && id.dropFirst(name.count).allSatisfy { $0.isASCII && $0.isNumber }
    }
}

extension FormBuilder.Question {
    /// The indices of the options that are sent; empty ones are left out.
    var sentOptions: [Int] {
        options.indices.filter { !options[$0].label.trimmingCharacters(in: .whitespaces).isEmpty }
    }

    fileprivate var definition: JSONValue {
        var members: [JSONValue.Member] = [
            .init("key", .string(key)), .init("kind", .string(kind)), .init("title", .string(title)),
            .init("required", .bool(required)),
        ]
        func add(_ name: String, _ value: JSONValue?) {
            if let value { members.append(.init(name, value)) }
        }
        func text(_ text: String) -> JSONValue? { text.isEmpty ? nil : .string(text) }
        add("description", text(description))
        switch kind {
        case "rating":
            add("min", FormBuilder.number(min))
            add("max", FormBuilder.number(max))
            add("minLabel", text(minLabel))
            add("maxLabel", text(maxLabel))
            if isNPS { add("metric", .string("nps")) }
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
        var taken = Set(options.map(\.id))
        return sentOptions.map { place in
            var option = options[place]
            if option.id.isEmpty {
                option.id = FormBuilder.word(for: option.label, besides: taken, else: "o")
                taken.insert(option.id)
            }
            return .object([.init("id", .string(option.id)), .init("label", .string(option.label))])
        }
    }
}
