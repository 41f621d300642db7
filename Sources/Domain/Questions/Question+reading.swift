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
        self = try reader.requireNoFaults(
            reading: Self.read(reader, keys: &keys, maxOptions: .max, isAlone: true)?.question)
    }

    /// Parses some elements of the list of questions of a stored form. Their conditions may name other questions.
    public static func some(stored json: JSONValue) throws(Problem) -> [Question] {
        var questions: [Question] = []
        for element in json.array ?? [] {
            guard element["kind"]?.string == Grid.kindName else {
                questions.append(try Question(stored: element))
                continue
            }
            let reader = ObjectReader(element, at: "")
            var keys: Set<String> = []
            let statements = readGrid(reader, keys: &keys)
            questions += try reader.requireNoFaults(reading: statements).map(\.question)
        }
        return questions
    }

    /// Parses a list of questions. The result is usable only if no error was added.
    ///
    /// - Parameter isExpanded: Whether ratings may name their grid, instead of grids with statements.
    static func read(
        _ json: JSONValue, at pointer: String, isExpanded: Bool = false, faults: inout [Fault]
    ) -> [Question] {
        guard case .array(let elements) = json else {
            faults.append(Fault(.malformed, at: pointer, code: "wrong-type", "A list is expected here."))
            return []
        }
        let count = elements.reduce(0) { $0 + Swift.max(1, $1["statements"]?.array?.count ?? 1) }
        guard elements.count <= Limits.questions, count <= Limits.questions else {
            faults.append(
                Fault(
                    .invalid, at: pointer, code: "too-many",
                    "At most \(Limits.questions) questions are allowed, including the statements of grids."))
            return []
        }
        var keys: Set<String> = []
        var drafts: [Draft?] = []
        var keysOfDrafts: [String?] = []
        for (index, element) in elements.enumerated() {
            let reader = ObjectReader(element, at: "\(pointer)/\(index)")
            guard element["kind"]?.string == Grid.kindName else {
                let draft = read(reader, keys: &keys, maxOptions: Limits.options, isAlone: isExpanded)
                let found = reader.finish()
                // Conditions on a question with other faults are not judged.
                drafts.append(found.isEmpty ? draft : draft.map { Draft(question: $0.question, isValid: false) })
                keysOfDrafts.append(element["key"]?.string)
                faults += found
                continue
            }
            let statements = readGrid(reader, keys: &keys)
            let found = reader.finish()
            if found.isEmpty {
                drafts += statements
                keysOfDrafts += statements.map(\.question.key)
            } else {
                let names = (element["statements"]?.array ?? []).map { $0["key"]?.string }
                drafts += names.map { _ in nil }
                keysOfDrafts += names
            }
            faults += found
        }
        faults += faultsOfConditions(drafts, keysOfDrafts)
        let questions = drafts.compactMap { $0?.question }
        if isExpanded, faults.isEmpty { faults += faultsOfNamedGrids(questions, at: pointer) }
        return questions
    }

    /// A question as it was read, and its condition with the pointers of the tests.
    struct Draft {
        var question: Question
        var condition: ShowIf.Located?
        var isValid = true
    }

    private static func faultsOfConditions(_ drafts: [Draft?], _ keys: [String?]) -> [Fault] {
        guard drafts.contains(where: { $0?.condition != nil }) else { return [] }
        let keys = keys.enumerated().compactMap { index, key in key.map { ($0, index) } }
        let positions = Dictionary(keys, uniquingKeysWith: { first, _ in first })
        let questions = drafts.map { $0?.isValid == true ? $0?.question : nil }
        return drafts.enumerated().flatMap { index, draft -> [Fault] in
            // The statements of a grid have one condition.
            if index > 0, let question = draft?.question, let last = drafts[index - 1]?.question,
                question.isInGrid(of: last)
            {
                return []
            }
            return draft?.condition.map { ShowIf.faults(of: $0, at: index, among: questions, positions: positions) }
                ?? []
        }
    }

    static func readKey(_ reader: ObjectReader, _ keys: inout Set<String>) -> String? {
        let key = reader.key("key")
        if let key {
            if Limits.reservedKeys.contains(key) {
                reader.fault(at: "key", code: "reserved-key", "This key is a column of every export.")
            }
            if !keys.insert(key).inserted {
                reader.fault(at: "key", code: "duplicate-key", "Another question has this key.")
            }
        }
        return key
    }

    /// - Parameter isAlone: Whether a rating names its grid, as in a stored question. In a form, the grid has its
    ///   statements.
    private static func read(
        _ reader: ObjectReader, keys: inout Set<String>, maxOptions: Int, isAlone: Bool = false
    ) -> Draft? {
        let key = readKey(reader, &keys)
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
        let grid = isAlone ? Grid.read(reader) : nil
        guard let key, let title, let kind else { return nil }
        let question = Question(
            key: key, title: title, description: description, required: required, showIf: condition?.condition,
            kind: kind, grid: grid)
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

extension Grid {
    /// Parses the grid of a stored statement.
    fileprivate static func read(_ reader: ObjectReader) -> Grid? {
        guard let reader = reader.object("grid") else { return nil }
        guard let key = reader.key("key"), let title = reader.requiredText("title", atMost: Limits.title) else {
            return nil
        }
        return Grid(key: key, title: title, description: reader.text("description", atMost: Limits.description))
    }
}

extension Question.Rating {
    static func read(_ reader: ObjectReader) -> Self {
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
        if let labels = reader.array("labels") {
            rating.labels = readLabels(labels, rating, reader)
        }
        if rating.metric == .nps, rating.min != 0 || rating.max != 10 {
            reader.fault(at: "metric", code: "nps-range", "A net promoter score needs ratings from 0 to 10.")
        }
        return rating
    }
    /// A label for each point of the scale, none of them blank.
    private static func readLabels(_ elements: [JSONValue], _ rating: Self, _ reader: ObjectReader) -> [String]? {
        let labels = elements.compactMap(\.string)
        guard labels.count == elements.count else {
            reader.fault(.malformed, at: "labels", code: "wrong-type", "A list of texts is expected here.")
            return nil
        }
        let points = Swift.max(0, rating.max - rating.min + 1)
        guard labels.count == points else {
            reader.fault(at: "labels", code: "wrong-count", "The scale has \(points) points, which need a label each.")
            return nil
        }
        for (index, label) in labels.enumerated() where Limits.isBlank(label) || !Limits.isStorable(label, Limits.title)
        {
            let isBlank = Limits.isBlank(label)
            reader.add([
                Fault(
                    .invalid, at: "\(reader.pointer(to: "labels"))/\(index)",
                    code: isBlank ? "required" : "too-long",
                    isBlank ? "This cannot be blank." : "At most \(Limits.title) characters are allowed.")
            ])
        }
        return labels
    }
}
