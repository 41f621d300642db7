import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// Creates, lists and withdraws the invitations with which hosts sign up.
struct InvitationPages: Sendable {
    var routes: [PageRoute] { [PageRoute("/admin/invitations", get: { try await view(HostSession($0)) }, post: apply)] }

    private func view(
        _ session: HostSession, alert: String? = nil, faults: [ProblemBody.FaultBody] = [], created: Invitation? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> PageResponse {
        let page = session.page
        let list: Page<Invitation> = try await session.get("/v1/invitations" + page.apiQuery(["cursor"]).text)
        let heading = AdminHeading("invitations", page, alert: alert)
        return page.page(
            InvitationsPage(
                title: heading.title, heading: heading, created: created.map { Self.link(of: $0, page) },
                code: created?.code,
                fields: fields(page, faults, isCreated: created != nil).map(\.values),
                invitations: list.items.map { InvitationsPage.Item($0, page) }, next: page.nextPage(list.next),
                script: page.kit.files.address("once.js")), status: status)
    }

    /// The link of a new invitation, and a sentence that says how the link reaches the invited person.
    static func link(of invitation: Invitation, _ page: PageRequest) -> OneTimeSecret {
        let textKey = page.kit.options.sendsMail ? "invited.mailed" : "invited.unsent"
        let text = invitation.email.map { page.texts(textKey, ["email": $0]) } ?? page.texts("invited.hand-on")
        return OneTimeSecret(text: text, url: invitation.url ?? "", unreachable: page.unreachable)
    }

    private func fields(_ page: PageRequest, _ faults: [ProblemBody.FaultBody], isCreated: Bool) -> [PageField] {
        ["email", "note", "expiresAt"].map { name in
            var field = PageField(
                name: name, label: page.texts("admin.invite-\(name)"), value: isCreated ? "" : page.fields[name] ?? "",
                hint: page.texts("admin.invite-\(name)-hint"), faults: page.messages(for: faults, at: "/\(name)"))
            if name == "email" {
                field.inputMode = "email"
                field.hint = page.kit.noMailNotice(page.texts, "invite") ?? field.hint
            }
            if name == "expiresAt" { field.type = "datetime-local" }
            return field
        }
    }

    private func apply(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        guard CSRFGuard.admits(page) else {
            return try await view(session, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        let parts = (page.fields["act"] ?? "").split(separator: ":").map(String.init)
        if parts.count == 2, parts[0] == "withdraw" {
            try session.check(
                await page.send(
                    .delete, "/v1/invitations/" + PageRequest.pathSafe(parts[1]), as: session.authorization))
            return page.done("invitation-withdrawn", at: page.path)
        }
        let response = try await page.send(.post, "/v1/invitations", as: session.authorization, json: request(page))
        switch response.status {
        case .created: return try await view(session, created: try response.decoded())
        case .badRequest, .unprocessableContent:
            return try await view(
                session, alert: page.texts("builder.look-again"), faults: response.problem?.errors ?? [],
                status: response.status)
        default:
            try session.check(response)
            throw PageError(response)
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

/// The list of invitations, with a form for a new one.
struct InvitationsPage: PageModel {
    struct Item: TemplateValues {
        var id: String
        /// Names the invitation in the label of its button.
        var name: String
        var email: String
        var note: String
        var state: String
        /// When the invitation expires.
        var until: String
        /// Whether the invitation can still be used.
        var isOpen: Bool

        init(_ invitation: Invitation, _ page: PageRequest) {
            id = "\(invitation.id)"
            name = invitation.email ?? invitation.note ?? page.time(invitation.createdAt)
            (email, note) = (invitation.email ?? "", invitation.note ?? "")
            state = page.texts("admin.invitation-\(invitation.state)")
            until = page.time(invitation.expiresAt)
            isOpen = invitation.state == "open"
        }
    }

    static let template = "admin-invitations"
    var title: String
    var heading: AdminHeading
    /// The link of the invitation that was just created.
    var created: OneTimeSecret?
    var code: String?
    var fields: [PageField.Values]
    var invitations: [Item]
    /// The address of the list's next page.
    var next: String?
    var script: String
}
