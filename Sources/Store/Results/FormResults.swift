import Domain
import Foundation

/// The part of a form's results that may be shown now, from one snapshot.
public struct FormResults: Sendable {
    /// The effect of a minimum group: submissions that are newer than the released state are withheld.
    public struct Withheld: Sendable, Equatable {
        public var minimum: Int
        /// The number of submissions in the released state. If only a correction is withheld, this is the number of
        /// all submissions.
        public var shown: Int
    }

    public var formID: UUID
    public var version: Int
    public var revision: Int
    public var updatedAt: Date
    /// The exact number of submissions, including withheld ones.
    public var submissions: Int
    public var withheld: Withheld?
    /// The number of submissions in the counts of the questions. Smaller than `submissions` if some are withheld.
    public var visible: Int
    /// Whether each question set is shown completely or, if it has too few submissions, not at all. Only then can
    /// individual answers to an anonymous form be listed, and its visible submissions be filtered.
    public var isSettled: Bool
    public var questions: [QuestionResult]
    /// The released state that these results show, if the form is open.
    var snapshot = ReleasedSnapshot(shown: [:])
    /// Set only if the results of a single form were read.
    public var changes = FormHistories.Changes()

    /// The number of submissions divided by the head count, or by the number of people who attended if the head count
    /// is unknown. Nil if people may answer more than once.
    public static func responseRate(_ meeting: Meeting) -> (rate: Double, base: String)? {
        ResponseRate(
            submissions: meeting.form.submissions, headcount: meeting.headcount, attended: meeting.attended,
            onceOnly: meeting.form.onceOnly
        ).map { ($0.rate, $0.base.rawValue) }
    }
}

extension Meeting {
    /// The people who were there. Nil if their number is unknown, or if one person may answer more than once.
    ///
    /// The list is everybody who is expected, because it counts only if nobody has checked in.
    public var room: Room? {
        Room(
            attended: attended, listed: unseen, headcount: headcount, submissions: form.submissions,
            onceOnly: form.onceOnly)
    }
}
