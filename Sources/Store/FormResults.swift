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
    public var questions: [QuestionResult]
    /// Where a single form's results were read.
    public var changes = FormHistories.Changes()

    /// `submissions` over the head count, else over those who attended; nil where anyone may answer often.
    public static func responseRate(_ meeting: Meeting) -> (rate: Double, base: String)? {
        guard meeting.form.onceOnly else { return nil }
        let submissions = Double(meeting.form.submissions)
        if let headcount = meeting.headcount, headcount > 0 { return (submissions / Double(headcount), "headcount") }
        if meeting.attended > 0 { return (submissions / Double(meeting.attended), "attended") }
        return nil
    }
}
