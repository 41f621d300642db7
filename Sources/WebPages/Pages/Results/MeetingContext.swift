import Contract
import HTTPAPI

/// One meeting as the pages of its hosts see it.
struct MeetingContext {
    let visit: HostSession
    /// Where the API has it.
    let source: String
    /// Where its pages are.
    let path: String
    let details: HostReader.MeetingDetails
    let reader: HostReader

    init(_ page: PageRequest) async throws {
        visit = try HostSession(page)
        source = MeetingPages.source(page)
        reader = try await visit.reader()
        details = try await reader.meeting(MeetingPages.id(page))
        path = "/meetings/\(details.meeting.id)"
    }

    var meeting: Meeting { details.meeting }
    var form: Form { details.form }
    var canEdit: Bool { details.canEdit }
    var page: PageRequest { visit.page }
    var authorization: String { visit.authorization }
    /// The meeting's own.
    var clock: LocalTime { LocalTime(meeting.timeZone) }
    var isAnonymous: Bool { form.definition.anonymous == true }
    var who: WhoAnswers { WhoAnswers(definition: form.definition, texts: page.texts) }
    var isShut: Bool { form.state == "closed" || form.state == "final" }

    /// What stands above each of these pages.
    var head: [String: Any] {
        [
            "title": meeting.title, "heading": meeting.title, "subtitle": meeting.subtitle(page.texts), "isHost": true,
            "privacy": who.brief, "seriesPath": "/series/\(meeting.seriesId)", "canEdit": canEdit, "meeting": path,
            "who": who.values(meeting, canEdit: canEdit),
            "id": "\(meeting.id)", "state": page.texts("state.\(form.state)"),
            // Where a form leads back to: this page as it is, with what was searched and chosen.
            "address": page.path + page.query.address(besides: ["done", "lang"]),
        ]
    }
}
