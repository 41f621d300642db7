import Domain
import Foundation
import Postgres

/// The part of a form's counts that may be shown now. All code that reads tallies uses this type.
///
/// For a form with a minimum group, only counts that `advance_release` has released are shown. They do not change
/// merely because the closing time has passed: a close is settled under the form's lock, after the last submission that
/// was accepted in time.
struct ShownState: Sendable {
    /// The submissions of one question set.
    private struct Part: Sendable {
        var shown = 0
        /// Whether submissions, corrections or withdrawals are withheld.
        var hasWithheldChanges = false
    }

    let submissions: Int
    let minimumGroup: Int
    /// Whether `ReleaseLog` has to record the shown counts, because the form may have filters after its close.
    let needsRecording: Bool
    private var parts: [Int: Part] = [:]

    /// Columns of `form_state fs`. Select them in the statement that reads the tallies, so that both come from one
    /// snapshot.
    static let columns: Statement = "fs.submissions, fs.minimum_group, \(fragment: needsRecording)"
    /// True for an anonymous form that is not settled yet and may have filters afterwards.
    static let needsRecording: Statement = "fs.anonymous AND NOT fs.reopened AND NOT fs.settled"
    /// An expression for the count of a row of `tally t` that is shown.
    static let shownCount: Statement = "CASE WHEN fs.minimum_group > 1 THEN t.shown ELSE t.count END"
    /// A condition: whether a row of `tally t` counts submissions, or their corrections and withdrawals, and not the
    /// answers to a question.
    static let countsSubmissions: Statement = "t.question = ''"

    /// A condition for a settled form: whether the question set of `submission s` is shown.
    static func isSubmissionShown(of formID: UUID) -> Statement {
        """
        s.version = ANY (ARRAY(SELECT v.version FROM form_version v JOIN tally g ON g.form_id = v.form_id
            WHERE v.form_id = \(formID) AND g.question_set = v.question_set AND g.question = ''
                AND g.bucket = \(TallyKey.submissions) AND g.shown > 0))
        """
    }

    static func read(_ columns: inout Columns) throws -> ShownState {
        ShownState(
            submissions: try columns.next(), minimumGroup: try columns.next(), needsRecording: try columns.next())
    }

    private var hasMinimumGroup: Bool { minimumGroup > 1 }

    /// Adds a row that `countsSubmissions` selects.
    mutating func add(bucket: String, questionSet: Int, count: Int, shown: Int) {
        if bucket == TallyKey.submissions { parts[questionSet, default: Part()].shown = shown }
        if count != shown { parts[questionSet, default: Part()].hasWithheldChanges = true }
    }

    /// The number of submissions that are shown.
    var visible: Int { hasMinimumGroup ? parts.values.reduce(0) { $0 + $1.shown } : submissions }

    /// The counts that `ReleaseLog` has to record before a reader receives them; empty if nothing has to be recorded.
    var snapshot: ReleasedSnapshot {
        ReleasedSnapshot(shown: needsRecording ? parts.mapValues(\.shown).filter { $0.value > 0 } : [:])
    }

    /// Whether there are submissions but none are shown.
    var isHidden: Bool { visible == 0 && submissions > 0 }

    /// What is withheld; nil if nothing is. Corrections and withdrawals can be withheld even if the shown number of
    /// submissions is correct.
    var withheld: FormResults.Withheld? {
        hasMinimumGroup && parts.values.contains(where: \.hasWithheldChanges)
            ? FormResults.Withheld(minimum: minimumGroup, shown: visible) : nil
    }

    /// Whether each question set is shown completely or, if it has too few submissions, not at all. Only then is it
    /// known which submissions are shown.
    var isSettled: Bool {
        !isHidden && (!hasMinimumGroup || parts.values.allSatisfy { !$0.hasWithheldChanges || $0.shown == 0 })
    }
}
