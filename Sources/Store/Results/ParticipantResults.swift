import Domain
import Foundation
import Postgres

/// Who may see a form's results without an account: what its host said in `showResults`.
public struct ParticipantResults: Sendable {
    let pool: Pool
    let cache: FormCache

    /// The meeting whose results may be shown to whoever has the form's code, or its join code while it is open.
    ///
    /// Judged anew each time, so that a host who turns results off is obeyed at once. Throws 404 for a code that leads
    /// nowhere, 403 where the results are not shown. A receipt is looked at only where it is asked for: then a wrong one
    /// is 404, that of a withdrawn submission 410, and any is 409 once the form is final and knows nobody.
    public func require(code: String, receipt: String?) async throws -> Meeting {
        try await judge(code: code, receipt: receipt).meeting
    }

    /// The same, and the submission if its receipt was asked for.
    func judge(code: String, receipt: String?) async throws -> (meeting: Meeting, submissionID: UUID?) {
        let name = try FormName(code)
        let rows = try await pool.query(
            Meeting.select(", fs.show_results") + "\nWHERE \(fragment: name.condition) AND NOT fs.trashed")
        let row = try rows.found()
        let meeting = try Meeting.read(row)
        let state = meeting.form.state(at: meeting.now)
        try name.check(state)
        guard try Self.needSubmission(row.decode(String.self, at: Meeting.columnCount), state) else {
            return (meeting, nil)
        }
        return (meeting, try await requireSubmission(of: meeting, receipt: receipt))
    }

    /// Whether the results are shown for the receipt of a submission only; throws 403 where nobody is shown them.
    static func needSubmission(_ shown: String, _ state: FormState) throws(Problem) -> Bool {
        guard state != .draft else { throw Problem(.resultsNotShown, "The form is not published yet.") }
        switch FormDefinition.ShowResults(rawValue: shown) {
        case .always: return false
        case .afterClose:
            guard state == .closed || state == .final else {
                throw Problem(.resultsNotShown, "They are shown once the form is closed.")
            }
            return false
        case .afterSubmission: return true
        case .never, nil: throw Problem(.resultsNotShown, "The host keeps them.")
        }
    }

    static let receiptNeeded = Problem(
        .resultsNotShown, "They are shown for the receipt of a submission (Authorization: Receipt).")

    private func requireSubmission(of meeting: Meeting, receipt: String?) async throws -> UUID {
        guard let receipt else { throw Self.receiptNeeded }
        guard !meeting.form.knowsNobody else { throw Problem(.formFinal) }
        guard let keys = try await cache.facts(code: meeting.form.code).keys else { throw Problem(.formFinal) }
        guard let id = keys.submission(receipt: receipt) else { throw Problem.nothingBehindKnownCode }
        let rows = try await pool.query(
            "SELECT withdrawn FROM submission WHERE form_id = \(meeting.form.id) AND id = \(id)")
        guard try !rows.found().decode(Bool.self) else { throw Problem(.withdrawn) }
        return id
    }
}

extension Store {
    public var participantResults: ParticipantResults { ParticipantResults(pool: pool, cache: cache) }
}
