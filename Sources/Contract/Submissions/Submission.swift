import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One participant's answers by question key: a rating's number, an option's id, `{"other": "…"}`, a list of these, or a
/// text.
public struct SubmissionRequest: Codable, Sendable, Equatable {
    /// The version that was answered; the newest without it.
    public var version: Int?
    public var answers: [String: JSONValue]

    public init(version: Int? = nil, answers: [String: JSONValue]) {
        self.version = version
        self.answers = answers
    }
}

/// The answer to a submission that is safely stored; only its receipt leads back to it.
public struct SubmissionReceipt: Codable, Sendable, Equatable {
    public var id: ResourceID
    @Confidential public var receipt: String
    /// The day's first moment on an anonymous form.
    public var submittedAt: Date

    public init(id: ResourceID, receipt: String, submittedAt: Date) {
        self.id = id
        self.receipt = receipt
        self.submittedAt = submittedAt
    }
}

/// A submission as its participant sees it again.
public struct Submission: Codable, Sendable, Equatable, Identifiable {
    public var id: ResourceID
    public var version: Int
    public var answers: [String: JSONValue]
    public var submittedAt: Date
    @ExplicitNull public var updatedAt: Date?

    public init(
        id: ResourceID, version: Int, answers: [String: JSONValue], submittedAt: Date, updatedAt: Date? = nil
    ) {
        self.id = id
        self.version = version
        self.answers = answers
        self.submittedAt = submittedAt
        self.updatedAt = updatedAt
    }
}

/// One text answer, newest first in its list.
public struct TextAnswer: Codable, Sendable, Equatable, Identifiable {
    /// By which it is hidden: its submission's, or of an anonymous form one that is good for this question alone.
    public var id: ResourceID
    public var text: String
    /// Nil of an anonymous form.
    @ExplicitNull public var submittedAt: Date?
    /// Out of pages, terms and exports.
    public var hidden: Bool

    public init(id: ResourceID, text: String, submittedAt: Date?, hidden: Bool = false) {
        self.id = id
        self.text = text
        self.submittedAt = submittedAt
        self.hidden = hidden
    }
}

public typealias TextAnswers = Page<TextAnswer>
