import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The questions and rules of a form: one published version, or its draft.
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
    /// The number of further submissions after which the released counts of an anonymous form advance.
    public var minimumGroup: Int
    public var showResults: ShowResults
    public var cap: Int?
    public var opens: Moment?
    public var closes: Moment?
    public var graceMinutes: Int
    public var autoPublish: Bool
    public var questions: [Question]

    public init(
        title: String = "", intro: String? = nil, identity: Identity = .open, anonymous: Bool = false,
        minimumGroup: Int? = nil, showResults: ShowResults = .never, cap: Int? = nil, opens: Moment? = nil,
        closes: Moment? = nil, graceMinutes: Int = 5, autoPublish: Bool = false, questions: [Question] = []
    ) {
        self.title = title
        self.intro = intro
        self.identity = identity
        self.anonymous = anonymous
        self.minimumGroup = minimumGroup ?? Limits.defaultMinimumGroup(anonymous: anonymous)
        self.showResults = showResults
        self.cap = cap
        self.opens = opens
        self.closes = closes
        self.graceMinutes = graceMinutes
        self.autoPublish = autoPublish
        self.questions = questions
    }

    /// The complete definition with defaults filled in, in the contract's order; parsing it returns an equal
    /// definition.
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
            .init("questions", .array(questions.map(\.json))),
        ])
    }
}
