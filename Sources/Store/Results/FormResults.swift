import Domain
import Foundation

/// A form's results as they may be shown now, from one snapshot.
public struct FormResults: Sendable {
    /// A minimum group withholds submissions that are newer than the released state.
    public struct Withheld: Sendable, Equatable {
        public var minimum: Int
        /// The number of submissions in the released state: all of them if only a correction is withheld.
        public var shown: Int
    }

    public var formID: UUID
    public var version: Int
    public var revision: Int
    public var updatedAt: Date
    /// The exact number, including withheld submissions.
    public var submissions: Int
    public var withheld: Withheld?
    /// The number of submissions in the questions' counts; smaller if some are withheld.
    public var visible: Int
    /// Whether only whole question sets with too few submissions are withheld. Only then can single answers of an
    /// anonymous form be listed, and its visible submissions be filtered.
    public var isSettled: Bool
    public var questions: [QuestionResult]
    /// The state of an open form that this shows.
    var snapshot = ReleasedSnapshot(shown: [:])
    /// Set if the results of a single form were read.
    public var changes = FormHistories.Changes()

    /// `submissions` divided by the head count, else by the number of people who attended; nil if anyone may answer
    /// repeatedly.
    public static func responseRate(_ meeting: Meeting) -> (rate: Double, base: String)? {
        ResponseRate(
            submissions: meeting.form.submissions, headcount: meeting.headcount, attended: meeting.attended,
            onceOnly: meeting.form.onceOnly
        ).map { ($0.rate, $0.base.rawValue) }
    }
}
