import Domain
import Foundation

/// A validated row of a file.
public struct ImportedRow: Sendable {
    public var place: ImportPlace
    /// Identifies the row among all rows of its form, in this run and in later ones.
    public var key: String
    public var answers: Answers
    /// The time of the submission; nil means the time of the import.
    public var submittedAt: Date?

    public init(place: ImportPlace, key: String, answers: Answers, submittedAt: Date?) {
        self.place = place
        self.key = key
        self.answers = answers
        self.submittedAt = submittedAt
    }
}

/// The outcome of importing a row, or the expected one.
public enum ImportOutcome: Sendable, Equatable {
    case created
    case alreadyThere
    case refused(Problem)
}
