/// A link to one of the tabs of a page.
struct PageTab: TemplateValues, Hashable {
    var path: String
    var label: String
    /// The name of a symbol in `icons.svg`; nil for none.
    var icon: String?
    /// Whether the page belongs to this tab.
    var isCurrent: Bool
}
