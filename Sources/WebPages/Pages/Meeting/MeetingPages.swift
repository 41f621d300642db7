import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import StrictJSON

/// One meeting for its hosts: its code for the screen, its form's life, its results as they come.
struct MeetingPages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] {
        let meeting = "/meetings/{id}"
        return [
            PageRoute(meeting, get: show, post: act),
            PageRoute(meeting + "/screen", get: screen),
            PageRoute(meeting + "/code.svg", get: relay { source, _ in source + "/form.qr.svg" }),
            PageRoute(meeting + "/live", get: relay { source, _ in source + "/results/live" }),
            PageRoute(meeting + "/export/{file}", get: relay { "\($0)/export/\(Self.word($1.parameter("file")))" }),
            PageRoute(meeting + "/pictures/{file}", get: relay { "\($0)/results/\(Self.word($1.parameter("file")))" }),
        ]
    }

    /// Whatever cannot stand in a path of the API stands in none here.
    static func word(_ text: String) -> String {
        text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }

    /// The id in the address; throws where it is no id.
    static func id(_ page: PageRequest) throws -> ResourceID {
        guard let id = ResourceID(page.parameter("id")) else { throw PageError.notFound }
        return id
    }

    static func source(_ page: PageRequest) -> String { "/v1/meetings/\(word(page.parameter("id")))" }

    private func relay(_ path: @escaping @Sendable (String, PageRequest) -> String) -> PageRoute.Handler {
        { page in
            let visit = try HostSession(page)
            return try await page.relay(path(Self.source(page), page), as: visit.authorization)
        }
    }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        try await view(HostSession(page))
    }

    private func view(
        _ visit: HostSession, alert: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> PageAnswer {
        let page = visit.page
        let reader = try await visit.reader()
        let details = try await reader.meeting(Self.id(page))
        let (meeting, form, canEdit) = (details.meeting, details.form, details.canEdit)
        let results = try await reader.results(of: details)
        let who = WhoAnswers(definition: form.definition, texts: page.texts)
        var head: [String: Any] = [
            "title": meeting.title, "subtitle": meeting.subtitle(page.texts), "isHost": true, "privacy": who.brief,
            "id": "\(meeting.id)", "seriesId": "\(meeting.seriesId)", "path": page.path,
            "state": page.texts("state.\(form.state)"), "live": page.path + "/live", "revision": results.revision,
            "link": "\(kit.options.publicURL)/f/\(form.code)", "form": "/f/\(form.code)", "joinCode": form.joinCode,
            "script": kit.files.address("host.js"), "copyScript": kit.files.address("once.js"), "canEdit": canEdit,
            "who": who.values(meeting, canEdit: canEdit),
        ]
        head["unreachable"] = kit.unreachable(page.texts)
        if form.definition.identity == "attendee" {
            head["personal"] =
                canEdit
                ? try await ListedPeople(of: meeting, visit).values(form, page) : ListedPeople.forViewers(page)
        }
        let zones = ZoneNames(reader.timeZone, among: [meeting.timeZone])
        head.merge(MeetingActs.values(meeting, form, zones, page)) { _, new in new }
        let isNewest = canEdit && details.latest?.id == meeting.id
        let stage = MeetingStage(
            details: details,
            coming: canEdit && details.rounds > 1 ? try await SeriesStanding.coming(after: details, reader) : nil,
            proposal: isNewest ? try await NextRound.proposed(after: details.series, reader) : nil)
        head.merge(stage.values(canEdit: canEdit, page)) { $1 }
        head["rounds"] = NeighbouringRounds.values(of: details)
        head["alert"] = alert
        head["submissions"] = page.texts(
            results.submissions == 1 ? "results.one-submission" : "results.submissions",
            ["count": "\(results.submissions)"])
        head["ring"] = ResponseRing.values(results, page)
        head["withheld"] = ResultsPage.withheld(
            results, isShut: form.state == "closed" || form.state == "final", page)
        head["brief"] = ResultsBrief.values(results, page)
        return page.page("host-meeting", head, status: status)
    }

    private static let acts: Set = ["publish", "close", "reopen", "finish"]

    private func act(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        guard CSRFGuard.admits(page) else {
            return try await view(visit, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        let act = page.fields["act"] ?? ""
        guard Self.acts.contains(act) else { throw PageError(.badRequest) }
        let path = "\(Self.source(page))/form/\(act)"
        let answer = try await page.ask(.post, path, as: visit.authorization)
        if answer.status == .conflict || answer.status == .unprocessableContent {
            let trouble = PageError(answer)
            return try await view(
                visit, alert: answer.problem?.errors?.first.map(page.texts.fault) ?? page.sentence(trouble),
                status: trouble.status)
        }
        try visit.check(answer)
        return page.done("form-\(act)", at: page.path + (page.fields["back"] == "screen" ? "/screen" : ""))
    }

    /// For the projector: the code as large as the wall, and nothing else.
    private func screen(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        let details = try await visit.reader().meeting(Self.id(page))
        let (meeting, form) = (details.meeting, details.form)
        // Whoever came by this code would be told that they need a link of their own.
        guard form.definition.identity != "attendee" else { return .redirect(to: "/meetings/\(meeting.id)") }
        return page.page(
            "host-screen",
            [
                "title": meeting.title, "id": "\(meeting.id)", "joinCode": form.joinCode,
                // A code that leads to a form that takes no answers is worse than none.
                "isShut": form.state == "closed" || form.state == "final",
                "meaning": page.texts(form.state == "final" ? "problem.form-final" : "screen.closed"),
                "canReopen": form.state == "closed" && details.canEdit,
                "address": kit.options.publicURL, "submissions": meeting.submissions, "isHost": true,
                "unreachable": kit.unreachable(page.texts) ?? false,
                "script": kit.files.address("host.js"),
            ])
    }
}
