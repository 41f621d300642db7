import StrictJSON

/// One submission's answers, in the order of the form's questions.
public struct Answers: Sendable, Equatable {
    public struct Entry: Sendable, Equatable {
        public var key: String
        public var answer: Answer
        /// Whether a choice is written as a list, as multiple choices are.
        var isList: Bool

        /// - Parameter multiple: Whether a choice is multiple. If nil, a choice is multiple unless it has exactly one
        ///   selection.
        public init(_ key: String, _ answer: Answer, multiple: Bool? = nil) {
            self.key = key
            self.answer = answer
            if case .choice(let ids, let other) = answer {
                isList = multiple ?? (ids.count + (other == nil ? 0 : 1) != 1)
            } else {
                isList = false
            }
        }
    }

    public var entries: [Entry]

    public init(_ entries: [Entry] = []) {
        self.entries = entries
    }

    public var isEmpty: Bool { entries.isEmpty }

    public subscript(key: String) -> Answer? {
        entries.first { $0.key == key }?.answer
    }

    /// The answers as they are stored, which is also the format in which participants send them:
    /// `{"pace": 4, "topics": ["demo", {"other": "…"}], "better": "…"}`.
    public var json: JSONValue {
        .object(entries.map { .init($0.key, $0.json) })
    }

    /// The compact encoding of `json`.
    public var text: String {
        var output: [UInt8] = []
        output.reserveCapacity(64 * (entries.count + 1))
        output.append(UInt8(ascii: "{"))
        for (index, entry) in entries.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            JSONValue.write(entry.key, into: &output)
            output.append(UInt8(ascii: ":"))
            entry.write(into: &output)
        }
        output.append(UInt8(ascii: "}"))
        return String(decoding: output, as: UTF8.self)
    }

    /// Parses stored answers. The form is needed to distinguish a single choice, a text and an abstention.
    ///
    /// This never throws, because the answers were validated when they arrived. An answer to a question that the form
    /// does not contain is interpreted by its JSON type alone.
    public static func read(stored: JSONValue, in form: PreparedForm) -> Answers {
        var slots = [Entry?](repeating: nil, count: form.questions.count)
        var others: [Entry] = []
        for member in stored.members ?? [] {
            let index = form.indices[member.name]
            guard let entry = Entry(stored: member, index.map { form.questions[$0].kind.name }) else { continue }
            if let index { slots[index] = entry } else { others.append(entry) }
        }
        return Answers(slots.compactMap { $0 } + others)
    }
}

extension Answers.Entry {
    /// Writes the compact encoding of `json`, without creating a `JSONValue` for each part.
    fileprivate func write(into output: inout [UInt8]) {
        switch answer {
        case .text(let text): JSONValue.write(text, into: &output)
        case .choice(let ids, other: nil) where ids.count == 1 && !isList: JSONValue.write(ids[0], into: &output)
        default: json.write(into: &output)
        }
    }

    fileprivate var json: JSONValue {
        switch answer {
        case .rating(let value): return JSONValue(value)
        case .abstention: return .string(Limits.abstention)
        case .text(let text): return .string(text)
        case .choice(let ids, let other):
            var selections = ids.map { JSONValue.string($0) }
            if let other { selections.append(.object([.init("other", .string(other))])) }
            return isList ? .array(selections) : selections.first ?? .null
        }
    }

    fileprivate init?(stored member: JSONValue.Member, _ kind: Question.KindName?) {
        switch member.value {
        case .number:
            guard let rating = member.value.int else { return nil }
            self.init(member.name, .rating(rating))
        case .string(let text):
            switch kind {
            case .choice: self.init(member.name, .choice([text], other: nil))
            case .rating: self.init(member.name, .abstention)
            case .text, nil: self.init(member.name, .text(text))
            }
        case .array(let elements):
            let other = elements.compactMap { $0["other"]?.string }.first
            self.init(member.name, .choice(elements.compactMap(\.string), other: other), multiple: true)
        case .object:
            guard let other = member.value["other"]?.string else { return nil }
            self.init(member.name, .choice([], other: other))
        case .null, .bool:
            return nil
        }
    }
}

/// A participant's answer to one question. A skipped question has no answer.
public enum Answer: Sendable, Equatable {
    /// Option ids in the order they were sent, and the participant's own words.
    case choice([String], other: String?)
    case rating(Int)
    /// The participant says that they cannot or do not want to rate.
    case abstention
    case text(String)
}

/// A text that is compared byte by byte, whereas `String` treats canonically equivalent texts as equal.
public struct ExactText: Hashable, Sendable {
    public let string: String

    public init(_ string: String) {
        self.string = string
    }

    public static func == (left: ExactText, right: ExactText) -> Bool {
        left.string.utf8.elementsEqual(right.string.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
