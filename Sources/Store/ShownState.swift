import Domain
import Postgres

/// How far the numbers of a form with a minimum group may be seen now: the one rule of all who read tallies.
struct ShownState: Sendable {
    var submissions: Int
    var shownSubmissions: Int
    var unshownChanges: Int
    var minimumGroup: Int
    var isClosed: Bool

    /// Of `form_state fs`; they belong into the statement that reads the tallies, so that both are of one snapshot.
    static let columns: Statement = """
        fs.submissions, fs.shown_submissions, fs.unshown_changes, fs.minimum_group, fs.state, fs.opens_at,
        fs.closes_at, fs.grace_minutes, clock_timestamp()
        """

    static func read(_ columns: inout Columns) throws -> ShownState {
        var shown = ShownState(
            submissions: try columns.next(), shownSubmissions: try columns.next(), unshownChanges: try columns.next(),
            minimumGroup: try columns.next(), isClosed: false)
        let life = FormLife(
            stored: FormLife.Stored(rawValue: try columns.next()) ?? .draft, opensAt: try columns.next(),
            closesAt: try columns.next(), graceMinutes: try columns.next())
        let state = life.state(at: try columns.next())
        shown.isClosed = state == .closed || state == .final
        return shown
    }

    /// The tallies' `count` is what is seen, else their `shown`.
    ///
    /// A close by the clock lets the rest out as a close by hand does, if the rest is a whole group.
    var showsAll: Bool { minimumGroup <= 1 || (isClosed && submissions - shownSubmissions >= minimumGroup) }

    /// How many submissions the state that is seen has.
    var visible: Int { showsAll ? submissions : shownSubmissions }

    /// There are submissions and nothing is seen of them.
    var isHidden: Bool { visible == 0 && submissions > 0 }

    var withheld: FormResults.Withheld? {
        let isWhole = showsAll || (shownSubmissions == submissions && unshownChanges == 0)
        return isWhole ? nil : FormResults.Withheld(minimum: minimumGroup, shown: visible)
    }
}
