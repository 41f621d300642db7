import Domain
import Foundation

/// A form's results as they may be shown now, from one snapshot.
public struct FormResults: Sendable {
    /// A minimum group holds back what is newer than the state shown.
    public struct Withheld: Sendable, Equatable {
        public var minimum: Int
        /// How many submissions the state shown has: all of them where only a correction is held back.
        public var shown: Int
    }

    public var formID: UUID
    public var version: Int
    public var revision: Int
    public var updatedAt: Date
    /// Exact, whatever is withheld.
    public var submissions: Int
    public var withheld: Withheld?
    /// Those behind the numbers of the questions: fewer where something is withheld.
    public var visible: Int
    /// Nothing is withheld but all of what too few have answered. Only then single answers of an anonymous form are told,
    /// and groups of them counted: of the submissions that are visible.
    public var isSettled: Bool
    public var questions: [QuestionResult]
    /// What this shows of a form that is open.
    var glimpse = ReleasedSnapshot(shown: [:])
    /// Where a single form's results were read.
    public var changes = FormHistories.Changes()

    /// `submissions` over the head count, else over those who attended; nil where anyone may answer often.
    public static func responseRate(_ meeting: Meeting) -> (rate: Double, base: String)? {
        ResponseRate(
            submissions: meeting.form.submissions, headcount: meeting.headcount, attended: meeting.attended,
            onceOnly: meeting.form.onceOnly
        ).map { ($0.rate, $0.base.rawValue) }
    }
}
