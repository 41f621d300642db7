import Foundation
import StrictJSON

/// One participant's answers by question key. An answer is a number for a rating, or `abstain` if it offers that; an option's id, `{"other": "…"}` or a
/// list of these for a choice; or a text.
public struct SubmissionRequest: Codable, Sendable, Equatable {
    /// The form version that was answered, or nil for the newest.
    public var version: Int?
    public var answers: [String: JSONValue]

    public init(version: Int? = nil, answers: [String: JSONValue]) {
        self.version = version
        self.answers = answers
    }
}

/// The response to a stored submission. Only its receipt gives access to the submission.
public struct SubmissionReceipt: Codable, Sendable, Equatable {
    public var id: ResourceID
    @Confidential public var receipt: String
    /// For an anonymous form, the start of the day.
    public var submittedAt: Date

    public init(id: ResourceID, receipt: String, submittedAt: Date) {
        self.id = id
        self.receipt = receipt
        self.submittedAt = submittedAt
    }
}

/// A stored submission, as its author sees it.
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

/// One text answer.
public struct TextAnswer: Codable, Sendable, Equatable, Identifiable {
    /// The id with which the answer is hidden. It is the id of the submission or, on an anonymous form, an id that
    /// belongs to this answer alone.
    public var id: ResourceID
    public var text: String
    /// Nil for an anonymous form.
    @ExplicitNull public var submittedAt: Date?
    /// Whether the answer is left out of pages, terms and exports.
    public var hidden: Bool
    /// True if a host has given it a star. Otherwise nil.
    public var starred: Bool?
    /// The tags that hosts gave it. Nil if there are none.
    public var tags: [String]?

    public init(
        id: ResourceID, text: String, submittedAt: Date?, hidden: Bool = false, starred: Bool? = nil,
        tags: [String]? = nil
    ) {
        self.id = id
        self.text = text
        self.submittedAt = submittedAt
        self.hidden = hidden
        self.starred = starred
        self.tags = tags
    }
}

/// The star and the tags of a text. They replace those that it had.
public struct TextMarksRequest: Codable, Sendable, Equatable {
    public var starred: Bool?
    /// At most 5, of at most 30 characters each.
    public var tags: [String]?

    public init(starred: Bool? = nil, tags: [String]? = nil) {
        self.starred = starred
        self.tags = tags
    }
}

public typealias TextAnswers = Page<TextAnswer>
