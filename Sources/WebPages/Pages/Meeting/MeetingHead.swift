import Contract
import HTTPAPI

/// The tabs of a meeting's pages, in their order.
enum MeetingTab: String, CaseIterable {
    case form, share, live, results, people

    /// The part of the path after the meeting's id.
    var subpage: String {
        switch self {
        case .form: ""
        case .share: "/shares"
        case .live: "/now"
        case .results: "/results"
        case .people: "/people"
        }
    }
}

/// The head of a meeting's pages: title, state and facts, and the tabs. The values of the template `meeting-head`.
struct MeetingHead: TemplateValues, Hashable {
    /// The meeting's title.
    var heading: String
    var series: String
    var seriesPath: String
    /// The number of the round, in words.
    var round: String
    /// The form's state as in the API, which selects the colour.
    var stateName: String
    /// The form's state in words.
    var state: String
    /// What the form records about its respondents, as one phrase.
    var privacy: String
    /// Time, place and headcount.
    var facts: String?
    var rounds: NeighbouringRounds?
    var tabs: [PageTab]
}

extension MeetingHead {
    init(_ context: MeetingContext, tab: MeetingTab) {
        let (meeting, page) = (context.meeting, context.page)
        self.init(
            heading: meeting.title, series: meeting.series, seriesPath: context.seriesPath,
            round: page.texts("meeting.round", ["round": "\(meeting.round)"]), stateName: context.form.state,
            state: context.state, privacy: context.who.brief,
            facts: meeting.facts(ZoneNames(context.reader.timeZone, among: [meeting.timeZone]), page),
            rounds: NeighbouringRounds(of: context.details, subpage: tab.subpage),
            // Viewers have no access to the attendee list.
            tabs: MeetingTab.allCases.filter { $0 != .people || context.canEdit }.map {
                PageTab(
                    path: context.path + $0.subpage, label: page.texts("tabs.\($0.rawValue)"), icon: $0.rawValue,
                    isCurrent: $0 == tab)
            })
    }
}
