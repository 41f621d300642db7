/// The roster of a series.
struct RosterPage: PageModel {
    struct Member: TemplateValues {
        var id: String
        var name: String
        var email: String
        /// The path of the member's attendance in the series.
        var historyPath: String
    }

    /// A link with which people join the roster.
    struct Code: TemplateValues {
        var id: String
        var url: String
        /// How many people have joined with the link, and its capacity if it has one.
        var uses: String
    }

    /// The newest round; shown if it is undated and members are not on its attendee list.
    struct UndatedRound: TemplateValues {
        /// Says who is not on the list, or how many people are not.
        var sentence: String
        var path: String
        /// The label of the link.
        var label: String
    }

    static let template = "people"
    var title: String
    var head: SeriesHead
    var alert: String?
    /// The path of this page.
    var path: String
    /// The query that shows the same part of the roster again.
    var query: String
    /// What is wrong with the typed lines.
    var faults: [String]
    /// The typed lines, with one person on each.
    var lines: String
    /// The text that the roster is searched for.
    var search: String
    var undatedRound: UndatedRound?
    var members: [Member]
    /// The address of the next page.
    var next: String?
    var codes: [Code]
    /// How many people can join with a new link, as typed.
    var capacity: String
    var capacityFault: String?
    /// Nil if nobody is on the list of a round that has begun.
    var grid: AttendanceTable?
    var script: String
}
