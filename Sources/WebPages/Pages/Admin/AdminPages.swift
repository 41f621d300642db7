import Foundation
import HTTPAPI
import HTTPTypes

/// The pages for admins.
struct AdminPages: Sendable {
    let organisation: OrganisationEditor

    var routes: [PageRoute] {
        [PageRoute("/admin", get: { _ in .redirect(to: "/admin/accounts") })]
            + AccountAdministration().routes + InvitationPages().routes + AuditPages().routes + HealthPages().routes
            + AdminExportPages().routes + OrganisationPages(editor: organisation).routes
    }

    /// Throws unless the session belongs to an admin. Only pages whose first API request is open to all accounts have
    /// to call it.
    static func requireAdmin(_ session: HostSession) async throws {
        try session.check(await session.page.send(.get, "/v1/admin/accounts?limit=1", as: session.authorization))
    }
}

/// The part at the top of each admin page: links to all admin pages, the title, and an alert. The template is
/// `admin-places`.
struct AdminHeading: TemplateValues {
    private static let names = ["accounts", "invitations", "organisation", "audit", "health", "exports"]

    var title: String
    var places: [NavigationBar.Values.Place]
    /// Why a form was refused.
    var alert: String?

    init(_ name: String, _ page: PageRequest, alert: String? = nil) {
        title = page.texts("admin.\(name)")
        places = Self.names.map {
            .init(path: "/admin/\($0)", label: page.texts("admin.\($0)"), isCurrent: $0 == name)
        }
        self.alert = alert
    }
}

/// A labelled value.
struct Fact: TemplateValues {
    var label: String
    var value: String
}

extension PageRequest {
    /// The named query parameters of the page, to be passed to the API. Empty ones are left out.
    func apiQuery(_ names: [String]) -> PathQuery {
        names.reduce(PathQuery()) { result, name in
            let value = query[name]?.trimmingCharacters(in: .whitespaces)
            return result.with(name, value == "" ? nil : value)
        }
    }

    /// The address of a list's next page; nil on the last page.
    func nextPage(_ cursor: String?, keeping names: [String] = []) -> String? {
        cursor.map { path + apiQuery(names).with("cursor", $0).text }
    }
}
