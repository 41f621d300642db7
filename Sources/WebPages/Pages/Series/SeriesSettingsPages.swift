import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import StrictJSON

/// The settings of a series: its title, when answers are deleted, its hosts, and the trash.
struct SeriesSettingsPages: Sendable {
    var routes: [PageRoute] {
        [PageRoute("/series/{id}/settings", get: { try await view(HostSession($0)) }, post: apply)]
    }

    private func view(
        _ session: HostSession, _ error: FormError? = nil, newInvitation: Invitation? = nil
    ) async throws -> PageResponse {
        let page = session.page
        let reader = try await session.reader()
        let details = try await reader.series(page.id())
        let series = details.series
        guard series.role != "viewer" else { throw PageError(.forbidden, code: "forbidden") }
        let isOwner = series.role == "owner"
        let hosts = isOwner ? try await SeriesHosts.hosts(of: details.access, reader, page) : []
        let invited = isOwner ? try await SeriesHosts.invited(to: series, reader, page) : []
        let email = page.fields["email"] ?? ""
        let isStranger = error?.errors.contains { $0.code == "unknown-account" } == true
        let model = SeriesSettingsPage(
            title: page.texts("tabs.settings-of", ["title": series.title]),
            head: SeriesHead(series, tab: .settings, page), isTrashed: series.deletedAt != nil, alert: error?.alert,
            faultyFields: error.map { faultyFields(of: $0, page) } ?? [],
            stranger: isStranger ? try await SeriesHosts.stranger(email, session) : nil, isOwner: isOwner,
            path: "/series/\(series.id)/settings", hosts: hosts, email: email, emailFault: error?.faults["email"],
            isViewerChosen: page.fields["role"] == "viewer", hasInvited: !invited.isEmpty, invited: invited,
            newInvitation: newInvitation.map { InvitationPages.link(of: $0, page) },
            tag: details.tag, newTitle: page.fields["title"] ?? series.title, titleFault: error?.faults["title"],
            retentionField: isOwner ? RetentionText.field(of: series, error, page).values : nil,
            script: page.kit.files.address("once.js"))
        return page.page(model, status: error?.status ?? .ok)
    }

    /// Links to the fields with faults, and to the address of a co-host who could not be added.
    private func faultyFields(of error: FormError, _ page: PageRequest) -> [FaultyField] {
        let candidates = [
            ("email", "email", "account.email"), ("title", "title", "series.name"),
            ("retentionDays", "retentionDays", "retention.label"),
        ]
        return candidates.filter { error.faults[$0.0] != nil || $0.0 == "email" && page.fields["act"] == "host" }
            .map { FaultyField(id: $0.1, label: page.texts($0.2)) }
    }

    func apply(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let source = SeriesPages.source(page)
        let series = "/series/\(page.safeParameter("id"))"
        let path = series + "/settings"
        let parts = (page.fields["act"] ?? "").split(separator: ":").map(String.init)
        do {
            try session.checkCSRF()
            switch (parts.first, parts.count) {
            case ("rename", 1):
                let body = JSONValue.object([.init("title", .string(page.fields["title"] ?? ""))])
                try await session.send(.patch, source, body, headers: [.ifMatch: page.fields["tag"] ?? ""])
                return page.done("saved", at: path)
            case ("retention", 1):
                let days = page.fields["retentionDays"].flatMap { Int($0) }
                let body = JSONValue.object([.init("retentionDays", JSONValue(days))])
                try await session.send(.patch, source, body, headers: [.ifMatch: page.fields["tag"] ?? ""])
                return page.done("saved", at: path)
            case ("trash", 1):
                try await session.send(.delete, source)
                return page.done("trashed", at: "/series?state=trash")
            case ("restore", 1):
                try await session.send(.post, source + "/restore")
                return page.done("restored", at: series)
            case ("host", 1):
                let response = try await session.send(
                    .post, source + "/hosts",
                    .object(["email", "role"].map { .init($0, .string(page.fields[$0] ?? "")) }))
                return page.done("host-added", ["name": try response.decoded(CoHost.self).name], at: path)
            case ("invite", 1): return try await invite(session)
            case ("invite-off", 2):
                try await session.send(.delete, "/v1/invitations/\(PageRequest.pathSafe(parts[1]))")
                return page.done("invitation-withdrawn", at: path)
            case ("host-off", 2):
                try await session.send(.delete, "\(source)/hosts/\(PageRequest.pathSafe(parts[1]))")
                return page.done("removed", at: path)
            default: throw PageError(.badRequest)
            }
        } catch let error as FormError {
            return try await view(session, error)
        }
    }

    /// Creates an invitation. The invited person's account becomes a co-host of the series.
    private func invite(_ session: HostSession) async throws -> PageResponse {
        let page = session.page
        let members = [
            ("email", page.fields["email"]), ("role", page.fields["role"]), ("seriesId", page.safeParameter("id")),
        ]
        let response = try await session.send(
            .post, "/v1/invitations",
            .object(members.map { .init($0, .string(($1 ?? "").trimmingCharacters(in: .whitespaces))) }))
        return try await view(session, newInvitation: response.decoded())
    }
}

/// The values of the template `series-settings`.
struct SeriesSettingsPage: PageModel {
    /// The advice for an address without an account, to which the host wanted to give access.
    struct Stranger: TemplateValues {
        var text: String
        /// Whether the reader may invite people.
        var canInvite: Bool
    }

    static let template = "series-settings"
    var title: String
    var head: SeriesHead
    var isTrashed: Bool
    var alert: String?
    var faultyFields: [FaultyField]
    var stranger: Stranger?
    /// Whether the reader has the rights of the owner, as admins do.
    var isOwner: Bool
    /// The path of this page.
    var path: String

    var hosts: [SeriesHosts.Host]
    /// The address of a new co-host.
    var email: String
    var emailFault: String?
    /// Whether the form for a new co-host has the role `viewer` selected.
    var isViewerChosen: Bool
    var hasInvited: Bool
    var invited: [SeriesHosts.Invited]
    /// The link of an invitation that was just created.
    var newInvitation: OneTimeSecret?

    /// The ETag of the series, so that a rename does not overwrite another change.
    var tag: String
    var newTitle: String
    var titleFault: String?
    /// The field for the retention. Nil unless the reader has the rights of the owner.
    var retentionField: PageField.Values?
    var script: String
}
