/// The start page of a host.
struct HomePage: PageModel {
    /// The meeting at the top of the page: the running one, the newest one whose form accepts answers, or the next one.
    /// A running meeting whose form is closed comes after those that people can answer.
    struct CurrentMeeting: TemplateValues {
        /// Whether the meeting is on now or comes next, in words.
        var label: String
        var meeting: Meeting
        var place: String?
        /// Set while the form accepts answers, unless it requires personal links.
        var joinCode: String?
        var attended: Int
        var headcount: Int?
        /// Whether the form can be answered with its code, now or when it opens.
        var hasUsableCode: Bool
        /// Whether the host may see the attendee list, which viewers may not.
        var canEdit: Bool
    }

    struct Meeting: TemplateValues {
        var id: String
        var title: String
        var series: String
        var round: Int
        var when: String?
        /// The name of the form's state.
        var state: String
        var submissions: Int
    }

    /// Another meeting whose form accepts answers.
    struct OpenMeeting: TemplateValues {
        var meeting: Meeting
        /// Nil if the form requires personal links.
        var joinCode: String?
    }

    struct Series: TemplateValues {
        var id: String
        /// The path of the newest meeting, or of the series if it has none.
        var path: String
        var title: String
        var latest: LatestRound?
        var planned: RoundLink?
        var canEdit: Bool
        /// The start that is proposed for the next round.
        var start: String
        /// The end that is proposed for the next round.
        var end: String
        /// Whether the proposed time may be that of another meeting.
        var allowsOverlap: Bool
        /// The proposed day in words; nil without a proposed time.
        var day: String?
    }

    static let template = "host-home"
    var title: String
    var alert: String?
    /// Asks the first admin to choose a password; nil for others.
    var initialPassword: String?
    /// Whether the host has no series yet.
    var isNew: Bool
    var now: CurrentMeeting?
    var hasOpen: Bool
    /// Other meetings whose forms accept answers.
    var open: [OpenMeeting]
    /// Whether nothing is planned for the next two weeks.
    var isIdle: Bool
    var hasComing: Bool
    var coming: [Meeting]
    var series: [Series]
    var hasMoreSeries: Bool

    // The form for a new meeting.
    /// The idempotency key of the new meeting; a new round of a series gets the key with the series' id appended.
    var key: String
    var newTitle: String
    var titleFault: String?
    var templates: [PageField.Values.Choice]
    var hasSavedTemplates: Bool
    /// The templates that hosts saved.
    var savedTemplates: [PageField.Values.Choice]
    var templateFault: String?
    /// Whether a time has been typed.
    var isTimed: Bool
    /// Whether the times are proposed.
    var isProposed: Bool
    var start: String
    var startsAtFault: String?
    var end: String
    var endsAtFault: String?
    /// The proposed start in seconds since 1970.
    var proposal: String
    /// The time zone of the typed times; empty for the zone of the browser.
    var zone: String
    /// The time zone as shown on the page.
    var zoneName: String
    var timeZoneFault: String?

    var script: String
    var zoneScript: String
}
