import Contract
import HTTPAPI

/// The links to a signed-in host's main pages, shown at the top of each page for hosts.
struct NavigationBar {
    /// The pages that the bar links to.
    private enum Place: String, CaseIterable {
        case home, calendar, series, account, admin

        var path: String { self == .admin ? "/admin/accounts" : "/\(rawValue)" }
    }

    let accountID: ResourceID
    let isAdmin: Bool
    let values: Values

    /// The first parts of paths that have the bar, besides the places.
    private static let otherAreas: Set = ["meetings", "import", "trash", "templates", "docs", "confirm"]

    /// The bar of a page. Nil without a session, on public pages, and on pages for a projector.
    static func find(for page: PageRequest) async throws -> NavigationBar? {
        let parts = page.path.split(separator: "/")
        guard let area = parts.first.map(String.init),
            otherAreas.contains(area) || Place(rawValue: area) != nil,
            !["stage", "door"].contains(parts.last), page.wantsPage, let reader = try await page.reader()
        else { return nil }
        // A meeting belongs to a series.
        let current = ["meetings", "import"].contains(area) ? Place.series.rawValue : area
        let places = Place.allCases.filter { $0 != .admin || reader.isAdmin }.map { place in
            Values.Place(
                path: place.path, label: page.texts("bar.\(place.rawValue)"), icon: place.rawValue,
                isCurrent: place.rawValue == current)
        }
        return NavigationBar(
            accountID: reader.accountID, isAdmin: reader.isAdmin, values: Values(places: places))
    }

    struct Values: TemplateValues, Hashable {
        struct Place: TemplateValues, Hashable {
            var path: String
            var label: String
            /// The name of a symbol in `icons.svg`; nil for none.
            var icon: String?
            var isCurrent: Bool
        }

        var places: [Place]
    }
}
