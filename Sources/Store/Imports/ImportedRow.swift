import Domain
import Foundation

/// A row of a file, validated.
public struct ImportedRow: Sendable {
    public var place: ImportPlace
    /// What tells the row from every other of its form, in this run and in the next.
    public var key: String
    public var answers: Answers
    /// Nil is the time of the import.
    public var submittedAt: Date?

    public init(place: ImportPlace, key: String, answers: Answers, submittedAt: Date?) {
        self.place = place
        self.key = key
        self.answers = answers
        self.submittedAt = submittedAt
    }
}

/// What became of an imported row, or would.
public enum ImportOutcome: Sendable, Equatable {
    case created
    case alreadyThere
    case refused(Problem)
}
