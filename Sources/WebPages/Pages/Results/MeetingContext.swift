import Contract
import HTTPAPI
import HTTPTypes

/// A meeting and its form as its hosts read them, without the page that shows them.
struct HostMeeting {
    let details: HostReader.MeetingDetails
    let reader: HostReader

    var meeting: Meeting { details.meeting }
    var form: Form { details.form }
    /// The path of the meeting's page. The paths of its other pages begin with this path.
    var path: String { "/meetings/\(meeting.id)" }
    /// Parses and formats times in the meeting's time zone.
    var clock: LocalTime { LocalTime(meeting.timeZone) }
    var isAnonymous: Bool { form.definition.anonymous == true }
    /// Whether the form no longer accepts answers.
    var isShut: Bool { form.state == "closed" || form.state == "final" }
}

/// A meeting and its form, as needed for a page that its hosts see.
struct MeetingContext {
    let session: HostSession
    /// The meeting's path in the API.
    let source: String
    let host: HostMeeting

    init(_ page: PageRequest) async throws {
        session = try HostSession(page)
        source = MeetingPages.apiPath(page)
        let reader = try await session.reader()
        host = HostMeeting(details: try await reader.meeting(page.id()), reader: reader)
    }

    var details: HostReader.MeetingDetails { host.details }
    var reader: HostReader { host.reader }
    var path: String { host.path }
    var meeting: Meeting { details.meeting }
    var form: Form { details.form }
    var canEdit: Bool { details.canEdit }
    var page: PageRequest { session.page }
    var authorization: String { session.authorization }
    var clock: LocalTime { host.clock }
    var isAnonymous: Bool { host.isAnonymous }
    var who: WhoAnswers { WhoAnswers(form, page.texts) }
    /// Says that the answers were deleted at the end of their retention; nil if they are stored.
    var answersDeletedNotice: String? {
        guard form.answersDeletedAt != nil else { return nil }
        return RetentionText.ofForm(form, page.texts) { clock.text($0, in: page.language) }
    }
    var isShut: Bool { host.isShut }

    /// The form's state in the reader's language.
    var state: String { page.texts("state.\(form.state)") }
    var seriesPath: String { "/series/\(meeting.seriesId)" }
    /// The address of this page with its search and filters. The page's forms are sent to this address.
    var address: String { page.path + page.query.queryString(excluding: ["done", "lang"]) }
}

extension MeetingContext {
    /// Cronbach's alpha of a grid. Nil while it is withheld, or if the service has too much to do.
    func alpha(of grid: String) async throws -> GridAlpha? {
        let response = try await page.send(.get, "\(source)/results/alpha?grid=\(grid)", as: authorization)
        return response.status == .ok ? try response.decoded() : nil
    }
}
