import Contract
import Foundation
import HTTPTypes

/// The pages for admins.
struct AdminPages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] {
        [PageRoute("/admin", get: { _ in .redirect(to: "/admin/accounts") })]
            + AccountAdministration(kit: kit).routes + InvitationPages(kit: kit).routes + AuditPages(kit: kit).routes
            + HealthPages(kit: kit).routes + AdminExportPages(kit: kit).routes
    }

    /// For pages that send no request to the API for which it requires an admin.
    static func requireAdmin(_ session: HostSession) async throws {
        try session.check(await session.page.send(.get, "/v1/admin/accounts?limit=1", as: session.authorization))
    }
}

/// The links between the admin pages, the title and an alert: the names of the template `admin-places`.
struct AdminHeading: TemplateValues {
    struct Place: TemplateValues {
        var href: String
        var words: String
        var isHere: Bool
    }

    private static let names = ["accounts", "invitations", "audit", "health", "exports"]

    var title: String
    var places: [Place]
    /// Why a form was refused.
    var alert: String?

    init(_ name: String, _ page: PageRequest, alert: String? = nil) {
        title = page.texts("admin.\(name)")
        places = Self.names.map {
            Place(href: "/admin/\($0)", words: page.texts("admin.\($0)"), isHere: $0 == name)
        }
        self.alert = alert
    }
}

extension PageRequest {
    /// The query parameters that the API knows, without empty ones.
    func apiQuery(_ names: [String]) -> PathQuery {
        names.reduce(PathQuery()) { asked, name in
            let value = query[name]?.trimmingCharacters(in: .whitespaces)
            return asked.with(name, value == "" ? nil : value)
        }
    }

    /// The address of a list's next page; nil on the last page.
    func nextPage(_ cursor: String?, keeping names: [String] = []) -> String? {
        cursor.map { path + apiQuery(names).with("cursor", $0).text }
    }
}
