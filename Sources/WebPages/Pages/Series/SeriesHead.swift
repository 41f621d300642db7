import Contract

/// The tabs of a series' pages, in their order.
enum SeriesTab: String, CaseIterable {
    case trends, rounds, people, settings

    /// The part of the path after the series' id.
    var subpage: String { self == .trends ? "" : "/\(rawValue)" }
    /// Whether the tab is for owners and editors only.
    var needsEditor: Bool { self == .people || self == .settings }
}

/// The head of a series' pages: title, owner and the tabs, or the button that restores a series from the trash. The
/// values of the template `series-head`.
struct SeriesHead: TemplateValues {
    /// The title of the series.
    var heading: String
    var role: String
    /// Whether the series belongs to the reader.
    var isOwn: Bool
    var owner: String
    var members: String
    /// When answers are deleted; nil if they are kept.
    var retention: String?
    var isTrashed: Bool
    /// When a series in the trash is deleted permanently.
    var until: String?
    var path: String
    var tabs: [PageTab]

    init(_ series: Series, tab: SeriesTab, _ page: PageRequest) {
        let path = "/series/\(series.id)"
        (heading, role, members) = (series.title, series.roleText(page), series.membersText(page.texts))
        (isOwn, owner) = (page.bar?.accountID == series.owner.id, series.owner.name)
        retention = RetentionText.ofSeries(series, page.texts)
        (isTrashed, until) = (series.deletedAt != nil, series.purgesAt.map { page.time($0) })
        let canEdit = series.role != "viewer"
        tabs = SeriesTab.allCases.filter { canEdit || !$0.needsEditor }.map {
            PageTab(
                path: path + $0.subpage, label: page.texts("tabs.\($0.rawValue)"), icon: $0.rawValue,
                isCurrent: $0 == tab)
        }
        self.path = path
    }
}

/// A link to a faulty field, which may be far below the alert. The values of the template `series-alert`.
struct FaultyField: TemplateValues {
    var id: String
    var label: String
}
