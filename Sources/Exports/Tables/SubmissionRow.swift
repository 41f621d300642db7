import Domain
import Foundation

/// One submission as a row of the wide format.
public struct SubmissionRow: Sendable, Equatable {
    public var id: UUID
    public var submittedAt: Date
    public var formVersion: Int
    /// Used only if the table spans several rounds.
    public var round: Int?
    public var meeting: String?
    /// Used only if the table contains names.
    public var name: String?
    public var email: String?
    public var answers: Answers

    public init(
        id: UUID, submittedAt: Date, formVersion: Int, round: Int? = nil, meeting: String? = nil, name: String? = nil,
        email: String? = nil, answers: Answers
    ) {
        self.id = id
        self.submittedAt = submittedAt
        self.formVersion = formVersion
        self.round = round
        self.meeting = meeting
        self.name = name
        self.email = email
        self.answers = answers
    }
}
