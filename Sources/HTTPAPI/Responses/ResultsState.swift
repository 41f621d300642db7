import Domain
import Store

/// The state of a form's results and of everything else that a rendering of them depends on.
struct ResultsState: Hashable, Sendable {
    /// The revision of the results, which only grows.
    var revision: Int
    /// The form's version and state, and the meeting's revision and attendance.
    var rest: String

    init(revision: Int, rest: String) { (self.revision, self.rest) = (revision, rest) }

    /// - Parameter revision: The revision of results that were read after the meeting. They are newer if a submission
    ///   arrived in between.
    init(_ meeting: StoredMeeting, revision: Int? = nil) {
        let form = meeting.form
        self.init(
            revision: revision ?? form.resultsRevision,
            rest: "\(form.version)-\(meeting.revision)-\(meeting.attended)-\(meeting.unseen)"
                + "-\(form.state(at: meeting.now).rawValue)")
    }

    var tag: ETag { ETag("r\(revision)-\(rest)") }

    /// Whether a value of this state shows everything that one of the other state does.
    func covers(_ other: ResultsState) -> Bool { revision >= other.revision && rest == other.rest }
}
