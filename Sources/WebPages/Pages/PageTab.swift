/// A link to one of the tabs of a page.
struct PageTab: TemplateValues, Hashable {
    var path: String
    var label: String
    /// Whether the page belongs to this tab.
    var isCurrent: Bool
}
