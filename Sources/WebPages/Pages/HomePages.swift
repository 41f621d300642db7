import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// A host's meetings, and how another one begins: a title and a template are enough.
struct HomePages: Sendable {
    private static let shown = 50

    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/home", get: show, post: create)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        try await view(HostVisit(page))
    }

    private func view(
        _ visit: HostVisit, alert: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> PageAnswer {
        let page = visit.page
        let list: MeetingList = try await visit.get("/v1/meetings?limit=\(Self.shown)")
        var values: [String: Any] = [
            "title": page.texts("host.home"), "isHost": true, "newTitle": page.fields["title"] ?? "",
            "meetings": list.items.map { meeting -> [String: Any] in
                [
                    "id": "\(meeting.id)", "title": meeting.title, "round": meeting.round, "series": meeting.series,
                    "state": page.texts("state.\(meeting.form.state)"), "submissions": meeting.submissions,
                    "when": meeting.startsAt.map { page.time($0) } ?? "",
                ]
            },
            "templates": FormTemplate.allCases.map {
                ["name": $0.rawValue, "label": page.texts("template.\($0.rawValue)")]
            },
        ]
        values["alert"] = alert
        return page.page("host-home", values, status: status)
    }

    /// Once a browser is what most meetings want, and its host can change it.
    private func propose(_ meeting: Meeting, _ visit: HostVisit) async throws {
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

    private func create(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostVisit(page)
        guard CSRFGuard.admits(page) else {
            return try await view(visit, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        let template = FormTemplate(rawValue: page.fields["template"] ?? "") ?? .empty
        let body = MeetingRequest(
            title: page.fields["title"] ?? "", questions: template.questions(page.texts))
        let answer = try await page.ask(
            .post, "/v1/meetings", as: visit.authorization, json: try JSONValue(encoding: body))
        guard answer.status == .created else {
            if answer.status == .unprocessableContent {
                return try await view(visit, alert: page.texts("host.title-missing"), status: .unprocessableContent)
            }
            try visit.check(answer)
            throw PageTrouble(answer)
        }
        let meeting: Meeting = try answer.decoded()
        try await propose(meeting, visit)
        return .redirect(to: "/meetings/\(meeting.id)" + (template == .empty ? "/form" : ""))
    }
}

extension JSONValue {
    /// A body of the contract, as a client would send it.
    init(encoding body: some Encodable) throws {
        self = try JSONValue.parse(Array(ContractCoding.encoder().encode(body)))
    }
}
