import Domain
import Foundation
import Postgres

/// Decides whether a person without an account may see a form's results, by the form's setting `showResults`.
public struct ParticipantResultAccess: Sendable {
    let pool: Pool
    let cache: FormCache

    /// Returns the meeting of a form's code, or of its join code while the form is open, if its results may be shown.
    ///
    /// Call this method for each request, so that a changed setting applies immediately. Throws 404 for an unknown
    /// code, and 403 if the results are not shown.
    ///
    /// - Parameter receipt: The receipt of a submission, which is read only if `showResults` requires it. Throws 404
    ///   for a wrong receipt, 410 for that of a withdrawn submission or after the answers were deleted, and 409 once an
    ///   anonymous form is final, because its submissions are then linked to nobody.
    public func requireMeeting(code: String, receipt: String?) async throws -> Meeting {
        try await requireAccess(code: code, receipt: receipt).meeting
    }

    /// Like `requireMeeting`, but also returns the submission's id if its receipt was required.
    func requireAccess(code: String, receipt: String?) async throws -> (meeting: Meeting, submissionID: UUID?) {
        let participantCode = try ParticipantCode(code)
        let row = try await cache.ids.row(of: .init(participantCode)) { id in
            try await pool.query(
                Meeting.select(", fs.show_results") + """

                    WHERE fs.form_id = \(id) AND \(fragment: participantCode.condition) AND NOT fs.trashed
                    """)
        }
        let meeting = try Meeting.read(row)
        let state = meeting.form.state(at: meeting.now)
        try participantCode.check(state)
        guard try Self.requiresReceipt(row.decode(String.self, at: Meeting.columnCount), state) else {
            return (meeting, nil)
        }
        return (meeting, try await requireSubmission(of: meeting, receipt: receipt))
    }

    /// Returns whether the results are shown only with the receipt of a submission; throws 403 if they are not shown.
    static func requiresReceipt(_ shown: String, _ state: FormState) throws(Problem) -> Bool {
        guard state != .draft else { throw Problem(.resultsNotShown, "The form is not published yet.") }
        switch FormDefinition.ShowResults(rawValue: shown) {
        case .always: return false
        case .afterClose:
            guard state == .closed || state == .final else {
                throw Problem(.resultsNotShown, "Results are shown once the form is closed.")
            }
            return false
        case .afterSubmission: return true
        case .never, nil: throw Problem(.resultsNotShown, "The host does not show results to participants.")
        }
    }

    static let receiptRequired = Problem(
        .resultsNotShown, "Results are shown for the receipt of a submission (Authorization: Receipt).")

    private func requireSubmission(of meeting: Meeting, receipt: String?) async throws -> UUID {
        guard let receipt else { throw Self.receiptRequired }
        try meeting.form.requireAnswers()
        guard !meeting.form.isUnlinked else { throw Problem(.formFinal) }
        guard let keys = try await cache.facts(code: meeting.form.code).keys else { throw Problem(.formFinal) }
        guard let id = keys.submission(receipt: receipt) else { throw Problem.nothingBehindKnownCode }
        let rows = try await pool.query(
            "SELECT withdrawn FROM submission WHERE form_id = \(meeting.form.id) AND id = \(id)")
        guard try !rows.requireFirst().decode(Bool.self) else { throw Problem(.withdrawn) }
        return id
    }
}
