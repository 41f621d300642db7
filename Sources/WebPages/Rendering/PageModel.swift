import Mustache

/// The values with which a template or a section is rendered. The names in the template are the names of the stored
/// properties.
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
    var propertiesByName: [String: Any] {
        var properties: [String: Any] = [:]
        for case (let name?, let value) in Mirror(reflecting: self).children {
            properties[name] = Self.converted(value)
        }
        return properties
    }

    private static func converted(_ value: Any) -> Any {
        // The most frequent types are compared instead of cast, because casts to protocols are slow.
        let type = type(of: value)
        if type == String.self || type == Bool.self || type == Int.self { return value }
        if type == String?.self {
            if let text = value as? String { return text }
            return Missing()
        }
        return switch value {
        case let values as any TemplateValues: TemplateContext(values.propertiesByName)
        case let list as [any TemplateValues]: list.map { TemplateContext($0.propertiesByName) }
        case let value as any OptionalValue: value.wrapped.map { converted($0) } ?? Missing()
        default: value
        }
    }
}

/// Named values, which the template engine looks up.
///
/// A dictionary conforms to `MustacheParent` too, but conditionally. Swift checks the condition for each name, which
/// took a sixth of the rendering time of a page.
final class TemplateContext: MustacheParent {
    private let values: [String: Any]

    init(_ values: [String: Any]) { self.values = values }

    func child(named name: String) -> Any? { values[name] }
}

/// Represents a property that is nil. It renders as an empty text and opens no section.
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
