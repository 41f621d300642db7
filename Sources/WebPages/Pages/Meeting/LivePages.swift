import Contract
import HTTPAPI

/// A meeting while people answer: a summary of the results that updates itself, the code, and the stage.
struct LivePages: Sendable {
    var routes: [PageRoute] { [PageRoute("/meetings/{id}/now", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let context = try await MeetingContext(page)
        let (meeting, form) = (context.meeting, context.form)
        let isBefore = form.state == "draft" || form.state == "scheduled"
        let results = try await context.reader.results(of: context.details)
        let zones = ZoneNames(context.reader.timeZone, among: [meeting.timeZone])
        return page.page(
            LivePage(
                title: page.texts("tabs.live-of", ["title": meeting.title]),
                head: MeetingHead(context, tab: .live), meetingPath: context.path,
                results: !isBefore || meeting.submissions > 0 ? LivePage.ResultsSection(results, context) : nil,
                meaning: MeetingActions.meaning(meeting, form, canEdit: context.canEdit, zones, page),
                joinCode: form.state == "open" && form.definition.identity != "attendee" ? form.joinCode : nil,
                canPresent: form.state != "draft", remote: RemoteInvitation(context),
                canClose: context.canEdit && form.state == "open",
                canReopen: context.canEdit && form.state == "closed" && !form.finalising,
                copyScript: page.kit.files.address("once.js"), script: page.kit.files.address("host.js")))
    }
}

/// The values of the template `host-live`.
struct LivePage: PageModel {
    /// A summary of the results.
    struct ResultsSection: TemplateValues {
        /// The path of the event stream that reports new results.
        var live: String
        /// The revision of the results on the page.
        var revision: Int
        /// The number of submissions, as text.
        var submissions: String
        var ring: ResponseRing?
        /// Says that there are more submissions than people. Nil if there are not.
        var exceededNotice: String?
        /// Why some answers are not shown.
        var withheld: String?
        /// One line for each of the first questions.
        var brief: [ResultsBrief.Line]
        /// Says how many further questions have results.
        var briefRest: String?
        var who: WhoAnswers.Values
    }

    static let template = "host-live"
    var title: String
    var head: MeetingHead
    var meetingPath: String
    /// Nil before people can answer.
    var results: ResultsSection?
    /// What the form's state means for the host and the participants.
    var meaning: String
    /// Set while the form accepts answers, unless it requires personal links.
    var joinCode: String?
    /// Whether there is something to show on the stage.
    var canPresent: Bool
    /// Nil for viewers, who may not use the remote of the stage.
    var remote: RemoteInvitation?
    var canClose: Bool
    var canReopen: Bool
    var copyScript: String
    var script: String
}

extension LivePage.ResultsSection {
    init(_ results: Results, _ context: MeetingContext) {
        let page = context.page
        self.init(
            live: context.path + "/live", revision: results.revision,
            submissions: ResultsQuestions.submissions(results, page), ring: ResponseRing(results, page),
            exceededNotice: ResponseRing.exceededNotice(results, page.texts),
            withheld: ResultsQuestions.withheld(results, isShut: context.isShut, page),
            brief: ResultsBrief.lines(results, page), briefRest: ResultsBrief.rest(results, page),
            who: context.who.values(context.meeting, canEdit: context.canEdit))
    }
}
