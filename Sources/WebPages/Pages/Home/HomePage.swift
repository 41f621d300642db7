/// The first page of a host.
struct HomePage: PageModel {
    /// The meeting on top of the page.
    struct CurrentMeeting: TemplateValues {
        var label: String
        var id: String
        var title: String
        var series: String
        var round: Int
        var when: String?
        var place: String?
        var state: String
        var joinCode: String?
        var submissions: Int
        var attended: Int
        var headcount: Int?
        /// Whether the form's code admits people now or later.
        var takesAnswers: Bool
    }

    struct Meeting: TemplateValues {
        var id: String
        var title: String
        var series: String
        var round: Int
        var when: String?
        var state: String
        var submissions: Int
    }

    struct Series: TemplateValues {
        var id: String
        var title: String
        var latest: LatestRound?
        var planned: RoundLink?
        var canEdit: Bool
        /// The times proposed for the next round.
        var start: String
        var end: String
        var day: String?
    }

    struct Template: TemplateValues {
        var name: String
        var label: String
        var chosen: Bool
    }

    static let template = "host-home"
    var title: String
    var alert: String?
    /// Whether the host has no series yet.
    var isNew: Bool
    var now: CurrentMeeting?
    var hasOpen: Bool
    /// Other meetings whose forms accept answers.
    var open: [Meeting]
    var isIdle: Bool
    var hasComing: Bool
    var coming: [Meeting]
    var series: [Series]
    var moreSeries: Bool

    var key: String
    var newTitle: String
    var titleFault: String?
    var templates: [Template]
    var isTimed: Bool
    var start: String
    var startsAtFault: String?
    var end: String
    var endsAtFault: String?
    var zone: String
    var zoneName: String
    var timeZoneFault: String?

    var script: String
    var zoneScript: String
}
