import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import StrictJSON

/// Where a host begins: what is on now, what comes, their series, and how another meeting begins: a title and a
/// template are enough.
struct HomePages: Sendable {
    /// Series whose next round is one press away.
    private static let series = 8
    /// How far ahead a host looks, in days after today.
    private static let ahead = 14

    let kit: PageKit

    var routes: [PageRoute] {
        [
            PageRoute("/home", get: { try await view(HostSession($0)) }, post: create),
            PageRoute("/home/live", get: { try await $0.relay("/v1/live", as: HostSession($0).authorization) }),
        ]
    }

    private func view(_ visit: HostSession, _ refusal: FormError? = nil) async throws -> PageAnswer {
        let page = visit.page
        let reader = try await visit.reader()
        let zone = page.fields["zone"] ?? reader.timeZone ?? ""
        let found = try await reader.series(order: .current, limit: Self.series)
        let series = try await SeriesCard.find(found.series, reader)
        let open = series.flatMap(\.open).sorted { ($0.startsAt ?? .distantPast) > ($1.startsAt ?? .distantPast) }
        let current = try await current(reader, open)
        let others = open.filter { $0.id != current?.id }
        let first = [current].compactMap(\.self) + others
        let coming = try await coming(reader, besides: first.map(\.id))
        let zones = ZoneNames(
            reader.timeZone,
            among: (first + coming).filter { $0.startsAt != nil }.map(\.timeZone)
                + found.series.compactMap(\.series.latest?.timeZone))
        var values: [String: Any] = [
            "title": page.texts("host.home"), "newTitle": page.fields["title"] ?? "", "key": SubmitToken.make(),
            "start": page.fields["start"] ?? "", "end": page.fields["end"] ?? "", "zone": zone,
            "zoneName": zone.isEmpty ? "UTC" : zone,
            "isTimed": page.fields["start"]?.isEmpty == false || page.fields["end"]?.isEmpty == false,
            "coming": coming.map { Self.line($0, zones, page) },
            "hasComing": !coming.isEmpty, "isIdle": coming.isEmpty && current?.state != "upcoming",
            "open": others.map { Self.line($0, zones, page) }, "hasOpen": !others.isEmpty,
            "series": series.map { $0.values(zones, page) }, "moreSeries": found.next != nil,
            "isNew": series.isEmpty,
            "script": kit.files.address("home.js"),
            "zoneScript": kit.files.address("zone.js"),
            "templates": FormTemplate.allCases.map {
                [
                    "name": $0.rawValue, "label": page.texts("template.\($0.rawValue)"),
                    "chosen": page.fields["template"] == $0.rawValue,
                ]
            },
        ]
        if let current { values["now"] = try await now(current, zones, reader, page) }
        refusal?.add(to: &values)
        return page.page("host-home", values, status: refusal?.status ?? .ok)
    }

    // MARK: What is on

    /// The meeting that runs; else the newest that takes answers; else the next to start.
    private func current(_ reader: HostReader, _ open: [Meeting]) async throws -> Meeting? {
        guard let meeting = try await reader.currentMeeting() else { return open.first }
        return meeting.state == "running" ? meeting : open.first ?? meeting
    }

    private func now(
        _ meeting: Meeting, _ zones: ZoneNames, _ reader: HostReader, _ page: PageRequest
    ) async throws -> [String: Any] {
        var values = Self.line(meeting, zones, page)
        values["label"] = page.texts(meeting.state == "upcoming" ? "now.next" : "now.now")
        if ["open", "scheduled"].contains(meeting.form.state) {
            let form = try await reader.form(of: meeting.id)
            // Nobody gets in by the code of a form that takes personal links.
            let hasCode = form.definition.identity != "attendee"
            values["takesAnswers"] = hasCode
            if hasCode, form.state == "open" { values["joinCode"] = form.joinCode }
        }
        values["attended"] = meeting.attended
        values["headcount"] = meeting.headcount
        values["place"] = meeting.place
        return values
    }

    /// From this morning to the end of the last day, the soonest first.
    private func coming(_ reader: HostReader, besides shown: [ResourceID]) async throws -> [Meeting] {
        let place = LocalTime(reader.timeZone)
        let today = place.calendar.startOfDay(for: Date())
        let end = place.calendar.date(byAdding: .day, value: Self.ahead + 1, to: today) ?? today
        return try await reader.meetings(from: today, to: end, limit: 100).reversed().filter { !shown.contains($0.id) }
    }

    private static func line(_ meeting: Meeting, _ zones: ZoneNames, _ page: PageRequest) -> [String: Any] {
        var values: [String: Any] = [
            "id": "\(meeting.id)", "title": meeting.title, "round": meeting.round, "series": meeting.series,
            "state": page.texts("state.\(meeting.form.state)"), "submissions": meeting.submissions,
        ]
        values["when"] = meeting.startsAt.map { zones.text($0, in: meeting.timeZone, page.language) }
        return values
    }

    // MARK: Another one

    private func create(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        do {
            try visit.checkOrigin()
            let template = FormTemplate(rawValue: page.fields["template"] ?? "") ?? .empty
            let typed = page.fields["zone"] ?? ""
            let zone = typed.isEmpty ? "UTC" : typed
            let body = MeetingRequest(
                title: page.fields["title"] ?? "", timeZone: zone,
                questions: template.questions(page.texts))
            let times = [("startsAt", "start"), ("endsAt", "end")].compactMap { name, field -> JSONValue.Member? in
                guard let text = page.fields[field], !text.isEmpty else { return nil }
                return .init(name, LocalTime(zone).json(text))
            }
            let answer = try await visit.send(
                .post, "/v1/meetings", .object((try JSONValue(encoding: body).members ?? []) + times),
                headers: [.idempotencyKey: SubmitToken.given(page)])
            let meeting: Meeting = try answer.decoded()
            // A second press of the same page finds the meeting as its host has it by now.
            if answer.headers[.idempotencyReplayed] != "true" { try await propose(meeting, visit) }
            return page.done(
                "meeting-made", at: "/meetings/\(meeting.id)" + (template == .empty ? "/form" : ""))
        } catch let refusal as FormError {
            return try await view(visit, refusal)
        }
    }

    /// Once a browser is what most meetings want, and its host can change it.
    private func propose(_ meeting: Meeting, _ visit: HostSession) async throws {
        let path = "/v1/meetings/\(meeting.id)/form"
        let answer = try await visit.page.ask(.get, path, as: visit.authorization)
        try visit.check(answer)
        var definition = try answer.decoded(Form.self).definition
        definition.identity = "device"
        try visit.check(
            await visit.page.ask(
                .put, path, as: visit.authorization, json: try JSONValue(encoding: definition),
                headers: [.ifMatch: answer.headers[.eTag] ?? "*"]))
    }
}

extension JSONValue {
    /// A body of the contract, as a client would send it.
    init(encoding body: some Encodable) throws {
        self = try JSONValue.parse(Array(ContractCoding.encoder().encode(body)))
    }
}
