import Domain
import Foundation
import Postgres

/// The part of a form's counts that may be shown now. Everything that reads tallies uses this rule.
///
/// For a form with a minimum group, only counts that `advance_release` has released are shown. The clock does not
/// change them: a close is settled under the form's lock, after the last submission that was accepted in time.
struct ShownState: Sendable {
    /// The submissions of one question set.
    private struct Part: Sendable {
        var shown = 0
        /// Whether submissions, corrections or withdrawals are withheld.
        var isBehind = false
    }

    let submissions: Int
    let minimumGroup: Int
    /// Whether the shown state has to be recorded, because the form may be filtered later.
    let isRecorded: Bool
    private var parts: [Int: Part] = [:]

    /// Columns of `form_state fs`; they belong in the statement that reads the tallies, so that both come from one
    /// snapshot.
    static let columns: Statement = "fs.submissions, fs.minimum_group, \(fragment: isRecorded)"
    /// True for an anonymous form that is not closed yet and may have filters afterwards.
    static let isRecorded: Statement = "fs.anonymous AND NOT fs.reopened AND NOT fs.settled"
    /// The released count of a row of `tally t`, in SQL.
    static let seen: Statement = "CASE WHEN fs.minimum_group > 1 THEN t.shown ELSE t.count END"
    /// The rows of `tally t` with the number of submissions shown, and with withheld changes.
    static let ofSubmissions: Statement = "t.question = ''"

    /// A condition for a settled form: whether the question set of `submission s` is shown.
    static func holds(_ formID: UUID) -> Statement {
        """
        s.version = ANY (ARRAY(SELECT v.version FROM form_version v JOIN tally g ON g.form_id = v.form_id
            WHERE v.form_id = \(formID) AND g.question_set = v.question_set AND g.question = ''
                AND g.bucket = \(TallyKey.submissions) AND g.shown > 0))
        """
    }

    static func read(_ columns: inout Columns) throws -> ShownState {
        ShownState(submissions: try columns.next(), minimumGroup: try columns.next(), isRecorded: try columns.next())
    }

    private init(submissions: Int, minimumGroup: Int, isRecorded: Bool) {
        (self.submissions, self.minimumGroup, self.isRecorded) = (submissions, minimumGroup, isRecorded)
    }

    private var isHeld: Bool { minimumGroup > 1 }

    /// Adds a row of `ofSubmissions`: a question set's submissions, or its corrections and withdrawals.
    mutating func add(bucket: String, questionSet: Int, count: Int, shown: Int) {
        if bucket == TallyKey.submissions { parts[questionSet, default: Part()].shown = shown }
        if count != shown { parts[questionSet, default: Part()].isBehind = true }
    }

    /// The number of submissions in the released state.
    var visible: Int { isHeld ? parts.values.reduce(0) { $0 + $1.shown } : submissions }

    /// The state that `ReleaseLog` has to record before a reader receives it.
    var snapshot: ReleasedSnapshot {
        ReleasedSnapshot(shown: isRecorded ? parts.mapValues(\.shown).filter { $0.value > 0 } : [:])
    }

    /// Whether there are submissions but none is shown.
    var isHidden: Bool { visible == 0 && submissions > 0 }

    /// Corrections and withdrawals are withheld too: equal numbers of submissions do not mean equal answers.
    var withheld: FormResults.Withheld? {
        isHeld && parts.values.contains(where: \.isBehind)
            ? FormResults.Withheld(minimum: minimumGroup, shown: visible) : nil
    }

    /// Whether only whole question sets with too few submissions are withheld, so that it is known which submissions
    /// are shown.
    var isSettled: Bool { !isHidden && (!isHeld || parts.values.allSatisfy { !$0.isBehind || $0.shown == 0 }) }
}
