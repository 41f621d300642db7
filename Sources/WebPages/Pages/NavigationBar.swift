import Contract
import HTTPTypes

/// What stands over all pages of whoever is signed in: where else they can go.
struct NavigationBar {
    /// Where hosts work; `/meetings` is no place of its own.
    private enum Place: String, CaseIterable {
        case home, calendar, series, account, admin

        var path: String { self == .admin ? "/admin/accounts" : "/\(rawValue)" }
    }

    /// Whose session it is.
    let accountID: ResourceID
    private let places: [Place]
    private let current: String

    /// Nil on pages of others, on what is shown to a whole room, and for whoever is not signed in.
    static func find(for page: PageRequest) async throws -> NavigationBar? {
        let parts = page.path.split(separator: "/")
        guard let area = parts.first.map(String.init),
            ["meetings", "trash", "docs"].contains(area) || Place(rawValue: area) != nil,
            !["screen", "door"].contains(parts.last), page.wantsPage,
            let token = page.cookies[HostSession.cookie], !token.isEmpty
        else { return nil }
        let answer = try await page.ask(.get, "/v1/sessions/current", as: "Bearer \(token)")
        guard answer.status == .ok else { return nil }
        let account = try answer.decoded(CurrentSession.self).account
        return NavigationBar(
            accountID: account.id, places: Place.allCases.filter { $0 != .admin || account.role == "admin" },
            current: area)
    }

    func values(_ texts: PageTexts) -> [String: Any] {
        [
            "places": places.map {
                ["path": $0.path, "label": texts("bar.\($0.rawValue)"), "isCurrent": $0.rawValue == current]
            }
        ]
    }
}
