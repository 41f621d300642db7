/// The roster of a series.
struct RosterPage: PageModel {
    struct Fault: TemplateValues { var text: String }

    struct Member: TemplateValues {
        var id: String
        var name: String
        var email: String
        /// The path of their attendance.
        var days: String
    }

    /// A link with which people join the roster.
    struct Code: TemplateValues {
        var id: String
        var url: String
        var used: String
    }

    /// The newest round, if it is undated and misses members.
    struct UndatedRound: TemplateValues {
        var sentence: String
        var path: String
        var round: String
    }

    static let template = "people"
    var title: String
    var alert: String?
    /// The title and the path of the series.
    var series: String
    var home: String
    var path: String
    var query: String
    /// What is wrong with the typed lines.
    var faults: [Fault]
    var lines: String
    /// The words of a search.
    var words: String
    var left: UndatedRound?
    var members: [Member]
    /// The address of the next page.
    var next: String?
    var codes: [Code]
    var capacity: String
    var capacityFault: String?
    var script: String
}
