import StrictJSON

extension FormDefinition {
    /// Parses a definition or throws all its errors: 400 for its structure, 422 for its rules.
    public init(json: JSONValue, at pointer: String = "") throws(Problem) {
        let reader = ObjectReader(json, at: pointer)
        let definition = Self.read(reader)
        let faults = reader.finish()
        guard let definition, faults.isEmpty else { throw Problem(faults) }
        self = definition
    }

    /// Parses the definition's fields of an object; errors are collected by the reader, and the value is usable only
    /// without any.
    public static func read(_ reader: ObjectReader) -> FormDefinition? {
        let before = reader.faults.count
        let anonymous = reader.bool("anonymous") ?? false
        var definition = FormDefinition(anonymous: anonymous)
        definition.title = reader.text("title", atMost: Limits.title) ?? ""
        definition.intro = reader.text("intro", atMost: Limits.intro)
        definition.identity = reader.word(Identity.self, "identity") ?? .open
        definition.minimumGroup =
            reader.int("minimumGroup", in: Limits.minimumGroup(anonymous: anonymous)) ?? definition.minimumGroup
        definition.showResults = reader.word(ShowResults.self, "showResults") ?? .never
        definition.cap = reader.int("cap", in: 1...Int(Int32.max))
        definition.opens = Moment.read("opens", of: reader)
        definition.closes = Moment.read("closes", of: reader)
        definition.graceMinutes = reader.int("graceMinutes", in: Limits.graceMinutes) ?? definition.graceMinutes
        definition.autoPublish = reader.bool("autoPublish") ?? false
        definition.questions = Question.read("questions", of: reader)
        if let opens = definition.opens, let closes = definition.closes, !opens.canPrecede(closes) {
            reader.fault(at: "closes", code: "closes-before-opens", "The form must close after it opens.")
        }
        return reader.faults.count == before ? definition : nil
    }

    /// Parses a list of questions, as in a request for a new meeting.
    public static func readQuestions(_ json: JSONValue, at pointer: String = "/questions") throws(Problem) -> [Question]
    {
        var faults: [Fault] = []
        let questions = Question.read(json, at: pointer, faults: &faults)
        guard faults.isEmpty else { throw Problem(faults) }
        return questions
    }
}

extension Moment {
    /// Returns false only if both are known to be in the wrong order, whatever the meeting's times.
    fileprivate func canPrecede(_ other: Moment) -> Bool {
        switch (self, other) {
        case (.instant(let first), .instant(let second)): first < second
        case (.offset(let anchor, let first), .offset(let otherAnchor, let second)):
            anchor != otherAnchor || first < second
        default: true
        }
    }
}
