import Contract
import Foundation
import HTTPTypes

/// The pages of those who run the service; the API says who that is.
struct AdminPages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] {
        [PageRoute("/admin", get: { _ in .redirect(to: "/admin/accounts") })]
            + AccountAdministration(kit: kit).routes + InvitationPages(kit: kit).routes + AuditPages(kit: kit).routes
            + HealthPages(kit: kit).routes + AdminExportPages(kit: kit).routes
    }

    private static let names = ["accounts", "invitations", "audit", "health", "exports"]

    /// What all of them have: where one is, and where else one can go.
    static func head(_ name: String, _ page: PageRequest, alert: String? = nil) -> [String: Any] {
        [
            "title": page.texts("admin.\(name)"), "isHost": true, "hasAlert": alert != nil, "alert": alert ?? "",
            "places": names.map {
                ["href": "/admin/\($0)", "words": page.texts("admin.\($0)"), "isHere": $0 == name]
            },
        ]
    }

    /// For pages that ask the API nothing that it keeps from others.
    static func requireAdmin(_ visit: HostSession) async throws {
        try visit.check(await visit.page.ask(.get, "/v1/admin/accounts?limit=1", as: visit.authorization))
    }
}

extension PageRequest {
    /// Of what was asked of the page, the names that the API knows; empty ones are left out.
    func asked(_ names: [String]) -> PathQuery {
        names.reduce(PathQuery()) { asked, name in
            let value = query[name]?.trimmingCharacters(in: .whitespaces)
            return asked.with(name, value == "" ? nil : value)
        }
    }

    /// The address of a list's next page; nil on the last one.
    func nextPage(_ cursor: String?, keeping names: [String] = []) -> String? {
        cursor.map { path + asked(names).with("cursor", $0).text }
    }
}
