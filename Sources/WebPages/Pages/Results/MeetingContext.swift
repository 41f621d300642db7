import Contract
import HTTPAPI

/// One meeting with its form, read for one of its hosts' pages.
struct MeetingContext {
    let session: HostSession
    /// Its path in the API.
    let source: String
    /// The path of its pages.
    let path: String
    let details: HostReader.MeetingDetails
    let reader: HostReader

    init(_ page: PageRequest) async throws {
        session = try HostSession(page)
        source = MeetingPages.source(page)
        reader = try await session.reader()
        details = try await reader.meeting(MeetingPages.id(page))
        path = "/meetings/\(details.meeting.id)"
    }

    var meeting: Meeting { details.meeting }
    var form: Form { details.form }
    var canEdit: Bool { details.canEdit }
    var page: PageRequest { session.page }
    var authorization: String { session.authorization }
    /// In the meeting's time zone.
    var clock: LocalTime { LocalTime(meeting.timeZone) }
    var isAnonymous: Bool { form.definition.anonymous == true }
    var who: WhoAnswers { WhoAnswers(definition: form.definition, texts: page.texts) }
    var isShut: Bool { form.state == "closed" || form.state == "final" }

    var state: String { page.texts("state.\(form.state)") }
    var seriesPath: String { "/series/\(meeting.seriesId)" }
    /// The address of this page with its search and filters, to which its forms are sent.
    var address: String { page.path + page.query.address(besides: ["done", "lang"]) }
}
