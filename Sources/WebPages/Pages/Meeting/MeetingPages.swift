import Contract
import HTTPAPI
import HTTPTypes

/// The page of one meeting, for its hosts: the code and state of the form, and a summary of the results.
struct MeetingPages: Sendable {
    var routes: [PageRoute] {
        let meeting = "/meetings/{id}"
        return [
            PageRoute(meeting, get: { try await view(HostSession($0)) }, post: apply),
            PageRoute(meeting + "/code.svg", get: relay { apiPath, _ in apiPath + "/form.qr.svg" }),
            PageRoute(meeting + "/live", get: relay { apiPath, _ in apiPath + "/results/live" }, isStreamed: true),
            PageRoute(meeting + "/export/{file}", get: relay { "\($0)/export/\($1.safeFileName)" }, isStreamed: true),
            PageRoute(meeting + "/pictures/{file}", get: picture),
        ]
    }

    /// The meeting's path in the API.
    static func apiPath(_ page: PageRequest) -> String { "/v1/meetings/\(page.safeParameter("id"))" }

    /// - Parameter path: Returns the path to request from the API, given the meeting's path there and the page request.
    private func relay(_ path: @escaping @Sendable (String, PageRequest) -> String) -> PageRoute.Handler {
        { page in
            let session = try HostSession(page)
            return try await page.relay(path(Self.apiPath(page), page), as: session.authorization)
        }
    }

    /// Relays a picture of the results. A name without `.svg` would reach another route of the API.
    private func picture(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        guard page.parameter("file").hasSuffix(".svg") else { throw PageError.notFound }
        return try await page.relay("\(Self.apiPath(page))/results/\(page.safeFileName)", as: session.authorization)
    }

    private func view(
        _ session: HostSession, alert: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> PageResponse {
        let page = session.page
        let reader = try await session.reader()
        let details = try await reader.meeting(page.id())
        let (meeting, form, canEdit) = (details.meeting, details.form, details.canEdit)
        let results = try await reader.results(of: details)
        let who = WhoAnswers(form, page.texts)
        var personal: ListedPeople?
        if form.definition.identity == "attendee" {
            personal = canEdit ? try await ListedPeople(of: meeting, form, session) : ListedPeople(forViewers: page)
        }
        let zones = ZoneNames(reader.timeZone, among: [meeting.timeZone])
        let isNewest = canEdit && details.latest?.id == meeting.id
        let phase = MeetingPhase(
            details: details,
            coming: canEdit && details.rounds > 1 ? try await SeriesStatus.upcoming(after: details, reader) : nil,
            proposal: isNewest ? try await NextRound.proposed(after: details.series, reader) : nil)
        let model = MeetingPage(
            title: meeting.title, alert: alert, id: "\(meeting.id)", seriesId: "\(meeting.seriesId)", path: page.path,
            subtitle: meeting.subtitle(page.texts), state: page.texts("state.\(form.state)"), privacy: who.brief,
            rounds: NeighbouringRounds(of: details), facts: meeting.facts(zones, page), canEdit: canEdit,
            isDraft: form.state == "draft", isOpen: phase.isOpen, form: "/f/\(form.code)",
            link: "\(page.kit.options.publicURL)/f/\(form.code)", joinCode: form.joinCode, personal: personal,
            unreachable: page.kit.unreachable(page.texts), actions: MeetingActions(meeting, form, zones, page),
            hasDoor: canEdit && meeting.startsAt != nil, isBefore: phase.isBefore, isInviting: phase.isInviting,
            isFolded: phase.isFolded, isFoldOpen: phase.isFoldOpen, isShut: phase.isShut,
            results: phase.hasResults
                ? section(results, isShut: phase.isShut, who.values(meeting, canEdit: canEdit), page) : nil,
            next: phase.next(page), script: page.kit.files.address("host.js"),
            copyScript: page.kit.files.address("once.js"))
        return page.page(model, status: status)
    }

    private func section(
        _ results: Results, isShut: Bool, _ who: WhoAnswers.Values, _ page: PageRequest
    ) -> MeetingPage.ResultsSection {
        .init(
            live: page.path + "/live", revision: results.revision,
            submissions: ResultsQuestions.submissions(results, page), ring: ResponseRing(results, page),
            withheld: ResultsQuestions.withheld(results, isShut: isShut, page),
            brief: ResultsBrief.lines(results, page), who: who)
    }

    private static let actions: Set = ["publish", "close", "reopen", "finish"]

    private func apply(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        guard CSRFGuard.admits(page) else {
            return try await view(session, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        let action = page.fields["act"] ?? ""
        guard Self.actions.contains(action) else { throw PageError(.badRequest) }
        let path = "\(Self.apiPath(page))/form/\(action)"
        let response = try await page.send(.post, path, as: session.authorization)
        if response.status == .conflict || response.status == .unprocessableContent {
            let error = PageError(response)
            return try await view(
                session, alert: response.problem?.errors?.first.map(page.texts.fault) ?? page.sentence(error),
                status: error.status)
        }
        try session.check(response)
        let place = ["stage", "remote"].first { $0 == page.fields["back"] }
        return page.done("form-\(action)", at: page.path + (place.map { "/" + $0 } ?? ""))
    }
}
