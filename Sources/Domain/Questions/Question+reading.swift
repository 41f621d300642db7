import StrictJSON

extension Question {
    static func read(_ name: String, of reader: ObjectReader) -> [Question] {
        guard let value = reader.value(name) else { return [] }
        var faults: [Fault] = []
        let questions = read(value, at: reader.pointer(to: name), faults: &faults)
        reader.add(faults)
        return questions
    }

    /// Parses a stored question, which may have gathered more options over its versions than a single version may have.
    public init(stored json: JSONValue) throws(Problem) {
        let reader = ObjectReader(json, at: "")
        var keys: Set<String> = []
        self = try reader.requireNoFaults(reading: Self.read(reader, keys: &keys, maxOptions: .max)?.question)
    }

    /// Parses a list of questions. The result is usable only if no error was added.
    static func read(_ json: JSONValue, at pointer: String, faults: inout [Fault]) -> [Question] {
        guard case .array(let elements) = json else {
            faults.append(Fault(.malformed, at: pointer, code: "wrong-type", "A list is expected here."))
            return []
        }
        guard elements.count <= Limits.questions else {
            faults.append(
                Fault(.invalid, at: pointer, code: "too-many", "At most \(Limits.questions) questions are allowed."))
            return []
        }
        var keys: Set<String> = []
        var drafts: [Draft?] = []
        for (index, element) in elements.enumerated() {
            let reader = ObjectReader(element, at: "\(pointer)/\(index)")
            let draft = read(reader, keys: &keys, maxOptions: Limits.options)
            let found = reader.finish()
            // Conditions on a question with other faults are not judged.
            drafts.append(found.isEmpty ? draft : draft.map { Draft(question: $0.question, isValid: false) })
            faults += found
        }
        faults += faultsOfConditions(drafts, elements)
        return drafts.compactMap { $0?.question }
    }

    /// A question as it was read, and its condition with the pointers of the tests.
    private struct Draft {
        var question: Question
        var condition: ShowIf.Located?
        var isValid = true
    }

    private static func faultsOfConditions(_ drafts: [Draft?], _ elements: [JSONValue]) -> [Fault] {
        guard drafts.contains(where: { $0?.condition != nil }) else { return [] }
        let keys = elements.enumerated().compactMap { index, element in element["key"]?.string.map { ($0, index) } }
        let positions = Dictionary(keys, uniquingKeysWith: { first, _ in first })
        let questions = drafts.map { $0?.isValid == true ? $0?.question : nil }
        return drafts.enumerated().flatMap { index, draft in
            draft?.condition.map { ShowIf.faults(of: $0, at: index, among: questions, positions: positions) } ?? []
        }
    }

    private static func read(_ reader: ObjectReader, keys: inout Set<String>, maxOptions: Int) -> Draft? {
        let key = reader.key("key")
        if let key {
            if Limits.reservedKeys.contains(key) {
                reader.fault(at: "key", code: "reserved-key", "This key is a column of every export.")
            }
            if !keys.insert(key).inserted {
                reader.fault(at: "key", code: "duplicate-key", "Another question has this key.")
            }
        }
        let title = reader.requiredText("title", atMost: Limits.title)
        let description = reader.text("description", atMost: Limits.description)
        let required = reader.bool("required") ?? false
        let condition = ShowIf.read("showIf", of: reader)
        let kind: Kind? =
            switch reader.required(KindName.self, "kind") {
            case .choice: .choice(Choice.read(reader, maxOptions: maxOptions))
            case .rating: .rating(Rating.read(reader))
            case .text: .text(maxLength: reader.int("maxLength", in: Limits.textLength) ?? 1000)
            case nil: nil
            }
        guard let key, let title, let kind else { return nil }
        let question = Question(
            key: key, title: title, description: description, required: required, showIf: condition?.condition,
            kind: kind)
        return Draft(question: question, condition: condition)
    }
}

extension Question.Choice {
    fileprivate static func read(_ reader: ObjectReader, maxOptions: Int) -> Self {
        var choice = Self(options: [])
        choice.multiple = reader.bool("multiple") ?? false
        choice.other = reader.bool("other") ?? false
        choice.options = readOptions(reader, atMost: maxOptions)
        let minimum = reader.int("minSelections", in: 0...Int.max)
        let maximum = reader.int("maxSelections", in: 1...Int.max)
        let available = choice.options.count + (choice.other ? 1 : 0)
        if available == 0, !reader.faults.contains(where: { $0.pointer.hasPrefix(reader.pointer(to: "options")) }) {
            reader.fault(at: "options", code: "required", "A choice needs an option.")
        }
        guard choice.multiple else {
            for (name, given) in [("minSelections", (minimum ?? 0) > 0), ("maxSelections", maximum != nil)] where given
            {
                reader.fault(at: name, code: "not-multiple", "Only a multiple choice can limit its selections.")
            }
            return choice
        }
        choice.minSelections = minimum ?? 0
        choice.maxSelections = maximum
        if let maximum, maximum > available {
            reader.fault(at: "maxSelections", code: "out-of-range", "There are only \(available) options to select.")
        }
        if choice.minSelections > min(maximum ?? available, available) {
            reader.fault(at: "minSelections", code: "out-of-range", "More selections are required than are allowed.")
        }
        return choice
    }

    private static func readOptions(_ reader: ObjectReader, atMost limit: Int) -> [Question.Option] {
        guard reader.array("options")?.count ?? 0 <= limit else {
            reader.fault(at: "options", code: "too-many", "At most \(limit) options are allowed.")
            return []
        }
        var ids: Set<String> = []
        return (reader.objects("options") ?? []).compactMap { element in
            let id = element.key("id")
            let label = element.requiredText("label", atMost: Limits.title)
            guard let id else { return nil }
            if Limits.reservedOptions.contains(id) {
                element.fault(at: "id", code: "reserved-option", "This id is reserved for a participant's own words.")
            }
            if !ids.insert(id).inserted {
                element.fault(at: "id", code: "duplicate-option", "Another option has this id.")
            }
            return Question.Option(id: id, label: label ?? "")
        }
    }
}

extension Question.Rating {
    fileprivate static func read(_ reader: ObjectReader) -> Self {
        var rating = Self()
        rating.min = reader.int("min", in: 0...1) ?? rating.min
        rating.max = reader.int("max", in: 1...10) ?? rating.max
        rating.minLabel = reader.text("minLabel", atMost: Limits.title)
        rating.maxLabel = reader.text("maxLabel", atMost: Limits.title)
        rating.metric = reader.word(Metric.self, "metric") ?? .mean
        if reader.has("abstain") { rating.abstain = reader.requiredText("abstain", atMost: Limits.title) }
        if rating.min >= rating.max {
            reader.fault(at: "max", code: "out-of-range", "The highest rating must be above the lowest.")
        }
        if rating.metric == .nps, rating.min != 0 || rating.max != 10 {
            reader.fault(at: "metric", code: "nps-range", "A net promoter score needs ratings from 0 to 10.")
        }
        return rating
    }
}
