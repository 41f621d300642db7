import Domain
import Foundation
import Store

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
    /// The stars and tags of texts by question. Used only if the table contains them.
    var marks: [String: TextMarks] = [:]
}

extension SubmissionRow {
    init(_ stored: StoredSubmission, in form: PreparedForm, at meeting: Meeting) throws {
        guard let submittedAt = stored.submittedAt else { throw Problem(.anonymousForm) }
        self.init(
            id: stored.id, submittedAt: submittedAt, formVersion: stored.version, round: meeting.round,
            meeting: meeting.title, name: stored.name, email: stored.email,
            answers: Answers.read(stored: stored.answers, in: form), marks: stored.marks)
    }
}
