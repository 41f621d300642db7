import Foundation
import StrictJSON

/// The questions and settings of a form, as in one published version or in the draft.
public struct FormDefinition: Sendable, Equatable {
    /// Who may answer, and how often.
    public enum Identity: String, Sendable, CaseIterable {
        case open, device, attendee
    }

    /// When participants see results.
    public enum ShowResults: String, Sendable, CaseIterable {
        case never, afterSubmission, afterClose, always
    }

    /// If empty, the meeting's title is used.
    public var title: String
    public var intro: String?
    public var identity: Identity
    public var anonymous: Bool
    /// The smallest number of new submissions after which the released counts of an anonymous form change.
    public var minimumGroup: Int
    public var showResults: ShowResults
    public var cap: Int?
    public var opens: Moment?
    public var closes: Moment?
    public var graceMinutes: Int
    public var autoPublish: Bool
    /// Whether the form's page shows one question at a time.
    public var oneByOne: Bool
    public var questions: [Question]

    public init(
        title: String = "", intro: String? = nil, identity: Identity = .open, anonymous: Bool = false,
        minimumGroup: Int? = nil, showResults: ShowResults = .never, cap: Int? = nil, opens: Moment? = nil,
        closes: Moment? = nil, graceMinutes: Int = 5, autoPublish: Bool = false, oneByOne: Bool = false,
        questions: [Question] = []
    ) {
        self.title = title
        self.intro = intro
        self.identity = identity
        self.anonymous = anonymous
        self.minimumGroup = minimumGroup ?? Limits.minimumGroup(anonymous: anonymous).lowerBound
        self.showResults = showResults
        self.cap = cap
        self.opens = opens
        self.closes = closes
        self.graceMinutes = graceMinutes
        self.autoPublish = autoPublish
        self.oneByOne = oneByOne
        self.questions = questions
    }

    /// The definition as it is stored, complete with the defaults. Parsing it returns an equal definition.
    public var json: JSONValue {
        .object([
            .init("title", .string(title)),
            .init("intro", JSONValue(intro)),
            .init("identity", .string(identity.rawValue)),
            .init("anonymous", .bool(anonymous)),
            .init("minimumGroup", JSONValue(minimumGroup)),
            .init("showResults", .string(showResults.rawValue)),
            .init("cap", JSONValue(cap)),
            .init("opens", opens?.json ?? .null),
            .init("closes", closes?.json ?? .null),
            .init("graceMinutes", JSONValue(graceMinutes)),
            .init("autoPublish", .bool(autoPublish)),
            .init("oneByOne", .bool(oneByOne)),
            .init("questions", .array(Question.documents(questions))),
        ])
    }
}

extension FormDefinition {
    /// The questions and the answers that they accept, regardless of wording and order. Answers to two versions are
    /// counted together if their question sets are equal.
    ///
    /// On an anonymous form, answers to another question set are counted separately. Otherwise, the counts would reveal
    /// the few participants who were asked something else.
    public var questionSet: JSONValue {
        .array(questions.sorted { $0.key < $1.key }.map(\.acceptedAnswers))
    }
}

extension Question {
    fileprivate var acceptedAnswers: JSONValue {
        var common: [JSONValue] = [.string(key), .string(kind.name.rawValue), .bool(required)]
        if let showIf { common.append(showIf.json) }
        switch kind {
        case .rating(let rating):
            let scale = common + [JSONValue(rating.min), JSONValue(rating.max)]
            return .array(rating.abstain == nil ? scale : scale + [.string(Limits.abstention)])
        case .text(let maxLength): return .array(common + [JSONValue(maxLength)])
        case .choice(let choice):
            return .array(
                common + [
                    .bool(choice.multiple), JSONValue(choice.minSelections), JSONValue(choice.maxSelections),
                    .bool(choice.other), .array(choice.options.map(\.id).sorted().map { .string($0) }),
                ])
        }
    }
}

extension FormDefinition {
    /// Parses a definition, or throws all its errors: 400 for structural errors, 422 for violated rules.
    public init(json: JSONValue, at pointer: String = "") throws(Problem) {
        let reader = ObjectReader(json, at: pointer)
        self = try reader.requireNoFaults(reading: Self.read(reader))
    }

    /// Parses the fields of a definition. The reader collects the errors. Returns nil if there are any.
    public static func read(_ reader: ObjectReader) -> FormDefinition? {
        let faultCount = reader.faults.count
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
        definition.oneByOne = reader.bool("oneByOne") ?? false
        definition.questions = Question.read("questions", of: reader)
        if let opens = definition.opens, let closes = definition.closes, !opens.canPrecede(closes) {
            reader.fault(at: "closes", code: "closes-before-opens", "The form must close after it opens.")
        }
        guard reader.faults.count == faultCount else { return nil }
        reader.add(definition.faultsOfAnonymousConditions(at: reader.pointer(to: "questions")))
        return reader.faults.count == faultCount ? definition : nil
    }

    /// Returns a fault for each condition of an anonymous form. Whether a person was asked shows what they answered, so
    /// the results of a conditional question could single out a person.
    public func faultsOfAnonymousConditions(at pointer: String) -> [Fault] {
        guard anonymous else { return [] }
        let pointers = Question.pointers(questions).map { pointer + $0.shared + "/showIf" }
        var faults: [Fault] = []
        for (index, question) in questions.enumerated()
        where question.showIf != nil && faults.last?.pointer != pointers[index] {
            faults.append(
                Fault(
                    .invalid, at: pointers[index], code: "anonymous-form",
                    "The questions of an anonymous form cannot depend on answers."))
        }
        return faults
    }

    /// Parses a list of questions, as in a request for a new meeting.
    ///
    /// - Parameter isExpanded: Whether the list is that of participants, in which each statement of a grid is a question.
    public static func readQuestions(
        _ json: JSONValue, at pointer: String = "/questions", isExpanded: Bool = false
    ) throws(Problem) -> [Question] {
        var faults: [Fault] = []
        let questions = Question.read(json, at: pointer, isExpanded: isExpanded, faults: &faults)
        guard faults.isEmpty else { throw Problem(faults) }
        return questions
    }
}

extension Moment {
    /// Returns false only if the two moments are in the wrong order regardless of the meeting's times.
    fileprivate func canPrecede(_ other: Moment) -> Bool {
        switch (self, other) {
        case (.instant(let first), .instant(let second)): first < second
        case (.offset(let anchor, let first), .offset(let otherAnchor, let second)):
            anchor != otherAnchor || first < second
        default: true
        }
    }
}
