import Domain
import Foundation
import Postgres

/// How far the numbers of a form may be seen now: the one rule of all who read tallies.
///
/// Of a form with a minimum group only what `advance_release` let out is seen, whatever the clock says: a close is settled under
/// the form's lock, behind the last submission that was taken in time.
struct ShownState: Sendable {
    /// The submissions of one question set.
    private struct Part: Sendable {
        var shown = 0
        /// Submissions, corrections or withdrawals are held back.
        var isBehind = false
    }

    let submissions: Int
    let minimumGroup: Int
    /// What is seen now has to be known later, when the form is filtered.
    let isNoted: Bool
    private var parts: [Int: Part] = [:]

    /// Of `form_state fs`; they belong into the statement that reads the tallies, so that both are of one snapshot.
    static let columns: Statement = "fs.submissions, fs.minimum_group, \(fragment: isNoted)"
    /// Of an anonymous form that is not closed yet, and may have filters then.
    static let isNoted: Statement = "fs.anonymous AND NOT fs.reopened AND NOT fs.settled"
    /// What is seen of a row of `tally t`, in SQL.
    static let seen: Statement = "CASE WHEN fs.minimum_group > 1 THEN t.shown ELSE t.count END"
    /// The rows of `tally t` that tell how many submissions are shown, and whether changes wait.
    static let ofSubmissions: Statement = "t.question = ''"

    /// Whether `submission s` answers a question set that is shown, where `isSettled`.
    static func holds(_ formID: UUID) -> Statement {
        """
        s.version = ANY (ARRAY(SELECT v.version FROM form_version v JOIN tally g ON g.form_id = v.form_id
            WHERE v.form_id = \(formID) AND g.question_set = v.question_set AND g.question = ''
                AND g.bucket = \(TallyKey.submissions) AND g.shown > 0))
        """
    }

    static func read(_ columns: inout Columns) throws -> ShownState {
        ShownState(submissions: try columns.next(), minimumGroup: try columns.next(), isNoted: try columns.next())
    }

    private init(submissions: Int, minimumGroup: Int, isNoted: Bool) {
        (self.submissions, self.minimumGroup, self.isNoted) = (submissions, minimumGroup, isNoted)
    }

    private var isHeld: Bool { minimumGroup > 1 }

    /// Takes a row of `ofSubmissions`: the submissions of a question set, or their corrections and withdrawals.
    mutating func add(bucket: String, questionSet: Int, count: Int, shown: Int) {
        if bucket == TallyKey.submissions { parts[questionSet, default: Part()].shown = shown }
        if count != shown { parts[questionSet, default: Part()].isBehind = true }
    }

    /// How many submissions the state that is seen has.
    var visible: Int { isHeld ? parts.values.reduce(0) { $0 + $1.shown } : submissions }

    /// What `ReleaseLog` has to keep before anybody gets to see it.
    var glimpse: ReleasedSnapshot {
        ReleasedSnapshot(shown: isNoted ? parts.mapValues(\.shown).filter { $0.value > 0 } : [:])
    }

    /// There are submissions and nothing is seen of them.
    var isHidden: Bool { visible == 0 && submissions > 0 }

    /// Corrections and withdrawals are held back too: equal numbers of submissions do not mean equal answers.
    var withheld: FormResults.Withheld? {
        isHeld && parts.values.contains(where: \.isBehind)
            ? FormResults.Withheld(minimum: minimumGroup, shown: visible) : nil
    }

    /// Nothing is withheld but all of what too few have answered: it is known which submissions are shown.
    var isSettled: Bool { !isHidden && (!isHeld || parts.values.allSatisfy { !$0.isBehind || $0.shown == 0 }) }
}
