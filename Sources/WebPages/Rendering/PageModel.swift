import Mustache

/// The values with which a template or a section is rendered. The names in the template are the stored properties.
///
/// A property that is nil hides outer values of the same name, so a section never shows one of them by mistake. The
/// suite `TemplateNames` checks each name in a template against these types.
protocol TemplateValues: Sendable {}

/// The values of one page.
protocol PageModel: TemplateValues {
    /// The template's name in `Resources/templates`.
    static var template: String { get }
    /// Whether the page uses the whole width of the window.
    static var isWide: Bool { get }
    /// Whether visitors without a session get links to the front page and the sign-in above the page.
    static var isReference: Bool { get }

    /// The title of the browser window.
    var title: String { get }
}

extension PageModel {
    static var isWide: Bool { false }
    static var isReference: Bool { false }
}

extension TemplateValues {
    /// The properties by name. They are converted once, because the template engine would use reflection for each name.
    var templateContext: [String: Any] {
        var context: [String: Any] = [:]
        for case (let name?, let value) in Mirror(reflecting: self).children { context[name] = Self.context(value) }
        return context
    }

    private static func context(_ value: Any) -> Any {
        switch value {
        case let values as any TemplateValues: values.templateContext
        case let text as String: text
        case let list as [any TemplateValues]: list.map(\.templateContext)
        case let value as any OptionalValue: value.wrapped.map { context($0) } ?? Missing()
        default: value
        }
    }
}

/// Stands for a property that is nil. It renders as an empty text and opens no section.
private struct Missing: MustacheCustomRenderable {
    let renderText = ""
    let isNull = true
}

private protocol OptionalValue {
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrapped: Any? { self }
}
