import Domain
import Foundation

/// One submission as a row of the wide format.
struct SubmissionRow: Sendable, Equatable {
    var id: UUID
    var submittedAt: Date
    var formVersion: Int
    /// Used only if the table spans several rounds.
    var round: Int?
    var meeting: String?
    /// Used only if the table contains names.
    var name: String?
    var email: String?
    var answers: Answers
}
