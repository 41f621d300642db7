import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// Codes with which hosts sign up: made, seen once, withdrawn.
struct InvitationPages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/admin/invitations", get: show, post: act)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer { try await view(HostSession(page)) }

    private func view(
        _ visit: HostSession, alert: String? = nil, faults: [ProblemBody.FaultBody] = [], made: Invitation? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> PageAnswer {
        let page = visit.page
        let list: Page<Invitation> = try await visit.get("/v1/invitations" + page.asked(["cursor"]).text)
        var values = AdminPages.head("invitations", page, alert: alert)
        values["script"] = kit.files.address("once.js")
        values["fields"] = fields(page, faults, isMade: made != nil).map(\.values.templateContext)
        values["isEmpty"] = list.items.isEmpty
        values["next"] = page.nextPage(list.next)
        values["invitations"] = list.items.map { invitation -> [String: Any] in
            [
                "id": "\(invitation.id)", "note": invitation.note ?? "", "email": invitation.email ?? "",
                "isOpen": invitation.state == "open", "state": page.texts("admin.invitation-\(invitation.state)"),
                "until": page.time(invitation.expiresAt),
                "name": invitation.email ?? invitation.note ?? page.time(invitation.createdAt),
            ]
        }
        values["code"] = made?.code
        values["unreachable"] = kit.unreachable(page.texts)
        values["made"] = made.map { Self.made($0, page) }
        return page.page("admin-invitations", values, status: status)
    }

    /// The link of a new invitation, and what to do with it.
    static func made(_ invitation: Invitation, _ page: PageRequest) -> OneTimeSecret {
        let forOne = page.kit.options.sendsMail ? "invited.mailed" : "invited.unsent"
        let text = invitation.email.map { page.texts(forOne, ["email": $0]) } ?? page.texts("invited.hand-on")
        return OneTimeSecret(
            text: text, url: invitation.url ?? "", unreachable: page.kit.unreachable(page.texts))
    }

    private func fields(_ page: PageRequest, _ faults: [ProblemBody.FaultBody], isMade: Bool) -> [PageField] {
        ["email", "note", "expiresAt"].map { name in
            var field = PageField(
                name: name, label: page.texts("admin.invite-\(name)"), value: isMade ? "" : page.fields[name] ?? "",
                hint: page.texts("admin.invite-\(name)-hint"), faults: page.say(faults, at: "/\(name)"))
            if name == "email" {
                field.inputMode = "email"
                field.hint = kit.unmailed(page.texts, "invite") ?? field.hint
            }
            if name == "expiresAt" { field.type = "datetime-local" }
            return field
        }
    }

    private func act(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        guard CSRFGuard.admits(page) else {
            return try await view(visit, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        let words = (page.fields["act"] ?? "").split(separator: ":").map(String.init)
        if words.count == 2, words[0] == "withdraw" {
            try visit.check(
                await page.ask(
                    .delete, "/v1/invitations/" + MeetingPages.word(words[1]), as: visit.authorization))
            return page.done("invitation-withdrawn", at: page.path)
        }
        let answer = try await page.ask(.post, "/v1/invitations", as: visit.authorization, json: request(page))
        switch answer.status {
        case .created: return try await view(visit, made: try answer.decoded())
        case .badRequest, .unprocessableContent:
            return try await view(
                visit, alert: page.texts("builder.look-again"), faults: answer.problem?.errors ?? [],
                status: answer.status)
        default:
            try visit.check(answer)
            throw PageError(answer)
        }
    }

    private func request(_ page: PageRequest) -> JSONValue {
        var members: [JSONValue.Member] = []
        for name in ["email", "note"] {
            let text = (page.fields[name] ?? "").trimmingCharacters(in: .whitespaces)
            if !text.isEmpty { members.append(.init(name, .string(text))) }
        }
        if let text = page.fields["expiresAt"], !text.isEmpty {
            members.append(.init("expiresAt", LocalTime(zone: .gmt).json(text)))
        }
        return .object(members)
    }
}
