import Contract
import HTTPAPI
import HTTPTypes
import StrictJSON

/// The templates that hosts saved: a list in which their owners and admins rename and delete them, and the page that
/// saves a meeting's form as a template.
struct TemplatePages: Sendable {
    var routes: [PageRoute] {
        [
            PageRoute("/templates", get: { try await list(HostSession($0)) }, post: change),
            PageRoute("/meetings/{id}/template", get: { try await view(HostSession($0)) }, post: save),
        ]
    }

    // MARK: The list

    /// A refused change of one template, with what was typed.
    private struct Refusal {
        var id: String
        var name: String
        var error: FormError
    }

    private func list(_ session: HostSession, _ refusal: Refusal? = nil) async throws -> PageResponse {
        let page = session.page
        let reader = try await session.reader()
        let query = PathQuery().with("cursor", page.query["cursor"])
        let templates: SavedTemplateList = try await session.get("/v1/templates" + query.text)
        let lines = templates.items.map { template in
            let refused = refusal.flatMap { $0.id == "\(template.id)" ? $0 : nil }
            let isOwn = template.owner.id == reader.accountID
            return TemplatesPage.Line(
                id: "\(template.id)", name: template.name,
                questions: page.texts("templates.questions", ["count": "\(template.questions)"]),
                owner: isOwn ? page.texts("templates.yours") : template.owner.name,
                updated: page.time(template.updatedAt), canChange: isOwn || reader.isAdmin,
                newName: refused?.name ?? template.name, fault: refused?.error.faults["name"], isRefused: refused != nil
            )
        }
        return page.page(
            TemplatesPage(
                title: page.texts("templates.title"), alert: refusal?.error.alert, templates: lines,
                next: page.nextPage(templates.next)),
            status: refusal?.error.status ?? .ok)
    }

    private func change(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let id = PageRequest.pathSafe(page.fields["template"] ?? "")
        let name = page.fields["name"] ?? ""
        do {
            try session.checkCSRF()
            if page.fields["act"] == "delete" {
                try await session.send(.delete, "/v1/templates/\(id)")
                return page.done("template-deleted", at: "/templates")
            }
            try await session.send(
                .patch, "/v1/templates/\(id)", JSONValue(encoding: SavedTemplateEdit(name: name)))
            return page.done("template-renamed", at: "/templates")
        } catch let error as FormError {
            return try await list(session, Refusal(id: id, name: name, error: error))
        }
    }

    // MARK: Saving a form

    private func view(_ session: HostSession, _ error: FormError? = nil) async throws -> PageResponse {
        let page = session.page
        let (meeting, form) = try await read(session)
        let typed = page.fields["name"]
        let name = PageField(
            name: "name", label: page.texts("templates.name"),
            value: typed ?? String((form.definition.title?.nonEmpty ?? meeting.title).prefix(100)),
            faults: [error?.faults["name"]].compactMap(\.self), maxLength: 100)
        return page.page(
            SaveTemplatePage(
                title: page.texts("templates.save-title"), heading: meeting.title,
                path: page.path, back: "/meetings/\(meeting.id)/form", alert: error?.alert, name: name.values,
                key: SubmitToken.make(), hasPicture: meeting.image != nil),
            status: error?.status ?? .ok)
    }

    private func read(_ session: HostSession) async throws -> (Meeting, Form) {
        let path = MeetingPages.apiPath(session.page)
        let meeting: Meeting = try await session.get(path)
        try await session.requireEditor(of: meeting)
        return (meeting, try await session.get(path + "/form"))
    }

    private func save(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        do {
            try session.checkCSRF()
            let (meeting, form) = try await read(session)
            var definition = form.definition
            // A form that has its meeting's title gets that of each new meeting.
            if definition.title == meeting.title { definition.title = nil }
            let request = SavedTemplateRequest(name: page.fields["name"] ?? "", definition: definition)
            try await session.send(
                .post, "/v1/templates", JSONValue(encoding: request),
                headers: [.idempotencyKey: SubmitToken.given(page.fields)])
            return page.done("template-saved", at: "/templates")
        } catch let error as FormError {
            return try await view(session, error)
        }
    }
}

/// The templates of all hosts.
struct TemplatesPage: PageModel {
    struct Line: TemplateValues {
        var id: String
        var name: String
        /// The number of questions, in words.
        var questions: String
        /// The owner's name, or that the template is the reader's own.
        var owner: String
        var updated: String
        var canChange: Bool
        /// The name as typed.
        var newName: String
        var fault: String?
        var isRefused: Bool
    }

    static let template = "host-templates"
    var title: String
    var alert: String?
    var templates: [Line]
    /// The address of the next page.
    var next: String?
}

/// The page that saves a form as a template.
struct SaveTemplatePage: PageModel {
    static let template = "host-save-template"
    var title: String
    /// The meeting's title.
    var heading: String
    var path: String
    /// The path of the form builder.
    var back: String
    var alert: String?
    var name: PageField.Values
    /// The idempotency key.
    var key: String
    var hasPicture: Bool
}
