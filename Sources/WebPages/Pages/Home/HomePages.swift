import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import StrictJSON

/// The start page of a host. It shows current and coming meetings, the host's series, and a form for a new meeting, in
/// which only the title is required.
struct HomePages: Sendable {
    private static let maxSeries = 8
    /// Coming meetings are listed for today and this number of days after it.
    private static let daysAhead = 14
    /// The largest number of open meetings whose codes are listed.
    private static let maxCodes = 8
    /// The largest number of saved templates in the menu. The page of all templates links to the others.
    private static let maxTemplates = 50

    var routes: [PageRoute] {
        [
            PageRoute("/home", get: { try await view(HostSession($0)) }, post: create),
            PageRoute(
                "/home/live", get: { try await $0.relay("/v1/live", as: HostSession($0).authorization) },
                isStreamed: true),
        ]
    }

    private func view(_ session: HostSession, _ error: FormError? = nil) async throws -> PageResponse {
        let page = session.page
        let reader = try await session.reader()
        let zone = page.fields["zone"] ?? reader.timeZone ?? ""
        let seriesList = try await reader.series(order: .current, limit: Self.maxSeries)
        let series = try await SeriesCard.find(seriesList.series, reader)
        let open = series.flatMap(\.open).sorted { ($0.startsAt ?? .distantPast) > ($1.startsAt ?? .distantPast) }
        let current = try await current(reader, open)
        let others = open.filter { $0.id != current?.id }
        let shown = [current].compactMap(\.self) + others
        let coming = try await coming(reader, excluding: shown.map(\.id))
        let zones = ZoneNames(
            reader.timeZone,
            among: (shown + coming).filter { $0.startsAt != nil }.map(\.timeZone)
                + seriesList.series.compactMap(\.series.latest?.timeZone))
        var now: HomePage.CurrentMeeting?
        if let current { now = try await self.now(current, zones, reader, session) }
        let proposal = ProposedTimes(zone: zone.isEmpty ? nil : zone, now: Date())
        let isTyped = page.method == .post
        let (start, end) =
            isTyped ? (page.fields["start"] ?? "", page.fields["end"] ?? "") : (proposal.start, proposal.end)
        let template = page.fields["template"] ?? page.query["template"]
        let saved = try await reader.templateNames(limit: Self.maxTemplates)
        let model = HomePage(
            title: page.texts("host.home"), alert: error?.alert,
            initialPassword: try await reader.initialPasswordEnd().map {
                page.texts("own.initial-password", ["date": LocalTime(reader.timeZone).dayText($0, in: page.language)])
            },
            isNew: series.isEmpty, now: now,
            hasOpen: !others.isEmpty, open: try await self.open(others, zones, reader, page),
            isIdle: coming.isEmpty && current?.state != "upcoming", hasComing: !coming.isEmpty,
            coming: coming.map { Self.line($0, zones, page) }, series: series.map { $0.values(zones, page) },
            hasMoreSeries: seriesList.next != nil, key: SubmitToken.make(), newTitle: page.fields["title"] ?? "",
            titleFault: error?.faults["title"],
            templates: FormTemplate.allCases.map {
                .init(
                    choice: $0.rawValue, words: page.texts("template.\($0.rawValue)"),
                    isChosen: template == $0.rawValue)
            },
            hasSavedTemplates: !saved.isEmpty,
            savedTemplates: saved.map { .init(choice: "\($0.id)", words: $0.name, isChosen: template == "\($0.id)") },
            templateFault: error?.faults["template"],
            isTimed: isTyped && (!start.isEmpty || !end.isEmpty), isProposed: !isTyped, start: start,
            startsAtFault: error?.faults["startsAt"], end: end,
            endsAtFault: error?.faults["endsAt"],
            proposal: isTyped ? page.fields["proposal"] ?? "" : proposal.seconds, zone: zone,
            zoneName: zone.isEmpty ? "UTC" : zone,
            timeZoneFault: error?.faults["timeZone"], script: page.kit.files.address("home.js"),
            zoneScript: page.kit.files.address("zone.js"))
        return page.page(model, status: error?.status ?? .ok)
    }

    // MARK: Current meetings

    /// The running meeting, unless its form is closed and others are open. If none is running, the newest meeting whose
    /// form accepts answers; if there is no such meeting either, the next to start.
    private func current(_ reader: HostReader, _ open: [Meeting]) async throws -> Meeting? {
        guard let meeting = try await reader.currentMeeting() else { return open.first }
        let isShut = ["closed", "final"].contains(meeting.form.state)
        return meeting.state == "running" && !isShut ? meeting : open.first ?? meeting
    }

    /// The other open meetings, with the codes of their forms.
    private func open(
        _ meetings: [Meeting], _ zones: ZoneNames, _ reader: HostReader, _ page: PageRequest
    ) async throws -> [HomePage.OpenMeeting] {
        var lines: [HomePage.OpenMeeting] = []
        for (index, meeting) in meetings.enumerated() {
            let form = index < Self.maxCodes ? try await reader.form(of: meeting.id) : nil
            let code = form?.definition.identity == "attendee" ? nil : form?.joinCode
            lines.append(.init(meeting: Self.line(meeting, zones, page), joinCode: code))
        }
        return lines
    }

    private func now(
        _ meeting: Meeting, _ zones: ZoneNames, _ reader: HostReader, _ session: HostSession
    ) async throws -> HomePage.CurrentMeeting {
        let page = session.page
        var now = HomePage.CurrentMeeting(
            label: page.texts(meeting.state == "upcoming" ? "now.next" : "now.now"),
            meeting: Self.line(meeting, zones, page), place: meeting.place, attended: meeting.attended,
            headcount: meeting.headcount, hasUsableCode: false,
            canEdit: try await session.canEdit(meeting.seriesId))
        if ["open", "scheduled"].contains(meeting.form.state) {
            let form = try await reader.form(of: meeting.id)
            // A form that requires personal links cannot be answered with its code.
            now.hasUsableCode = form.definition.identity != "attendee"
            if now.hasUsableCode, form.state == "open" { now.joinCode = form.joinCode }
        }
        return now
    }

    /// The meetings of today and the next days, without those in `shown`, sorted by their start.
    private func coming(_ reader: HostReader, excluding shown: [ResourceID]) async throws -> [Meeting] {
        let localTime = LocalTime(reader.timeZone)
        let today = localTime.calendar.startOfDay(for: Date())
        let end = localTime.calendar.date(byAdding: .day, value: Self.daysAhead + 1, to: today) ?? today
        return try await reader.meetings(from: today, to: end, limit: 100).reversed().filter { !shown.contains($0.id) }
    }

    private static func line(_ meeting: Meeting, _ zones: ZoneNames, _ page: PageRequest) -> HomePage.Meeting {
        .init(
            id: "\(meeting.id)", title: meeting.title, series: meeting.series, round: meeting.round,
            when: meeting.startsAt.map { zones.text($0, in: meeting.timeZone, page.language) },
            state: page.texts("state.\(meeting.form.state)"), submissions: meeting.submissions)
    }

    // MARK: A new meeting

    private func create(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        do {
            try session.checkCSRF()
            let definition = try await definition(session)
            let typed = page.fields["zone"] ?? ""
            let zone = typed.isEmpty ? "UTC" : typed
            let body = MeetingRequest(
                title: page.fields["title"] ?? "", timeZone: zone,
                questions: definition.questions)
            let localTime = LocalTime(zone)
            let start = page.fields["start"] ?? ""
            let end = localTime.end(page.fields["end"] ?? "", after: start)
            var times = [("startsAt", start), ("endsAt", end)].compactMap { name, text -> JSONValue.Member? in
                text.isEmpty ? nil : .init(name, localTime.json(text))
            }
            // Nobody chose the proposed time, so it does not conflict with other meetings.
            if ProposedTimes.isUnchanged(start, end, proposal: page.fields["proposal"], in: localTime) {
                times.append(.init("allowOverlap", .bool(true)))
            }
            let response = try await session.send(
                .post, "/v1/meetings", .object((try JSONValue(encoding: body).members ?? []) + times),
                headers: [.idempotencyKey: SubmitToken.given(page.fields)])
            let meeting: Meeting = try response.decoded()
            // After a repeated submit, the host may have changed the form already.
            if response.headers[.idempotencyReplayed] != "true" { try await define(meeting, definition, session) }
            return page.done(
                "meeting-made", at: "/meetings/\(meeting.id)" + (definition.questions.isEmpty ? "/form" : ""))
        } catch let error as FormError {
            return try await view(session, error)
        }
    }

    /// The form with which the new meeting begins. A built-in template limits it to one submission for each device: this
    /// suits most meetings, and the host can change it.
    private func definition(_ session: HostSession) async throws -> FormBody {
        let page = session.page
        let name = page.fields["template"] ?? ""
        if let id = ResourceID(name) {
            if let saved = try await session.reader().template(id) { return saved }
            let gone = page.texts("templates.gone")
            throw FormError(status: .unprocessableContent, alert: gone, faults: ["template": gone])
        }
        let questions = (FormTemplate(rawValue: name) ?? .empty).questions(page.texts)
        return FormBody(identity: "device", questions: questions)
    }

    /// Gives the new meeting's form the settings of a template.
    private func define(_ meeting: Meeting, _ template: FormBody, _ session: HostSession) async throws {
        let path = "/v1/meetings/\(meeting.id)/form"
        let (form, tag) = try await session.getTagged(path, Form.self)
        var definition = template
        definition.title = template.title?.nonEmpty ?? form.definition.title
        try session.check(
            await session.page.send(
                .put, path, as: session.authorization, json: JSONValue(encoding: definition), headers: [.ifMatch: tag]))
    }
}
