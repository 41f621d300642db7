import Foundation
@_spi(Reflection) import Swift
import Testing

@testable import WebPages

/// Each name in a template is a property of the page's model or of a section around the name.
@Suite struct TemplateNames {
    @Test func everyNameInATemplateIsAPropertyOfItsModel() throws {
        let templates = try Templates()
        for model in PageModels.all {
            #expect(templates.texts[model.template] != nil, "\(model): \(model.template)")
            let faults = templates.faults(of: model.template, with: [LayoutValues.self, model])
            #expect(faults == [], "\(model)")
        }
    }

    @Test func everyTemplateBelongsToAModel() throws {
        let templates = try Templates()
        var reached: Set<String> = []
        for model in PageModels.all { templates.reach(model.template, &reached) }
        #expect(Set(templates.texts.keys).subtracting(reached).sorted() == [])
    }

    @Test func everyPropertyOfAModelIsUsedByItsTemplate() throws {
        let templates = try Templates()
        for model in PageModels.all {
            var used: Set<String> = []
            _ = templates.faults(of: model.template, with: [LayoutValues.self, model], used: &used)
            #expect(Self.properties(of: model, in: []).subtracting(used).sorted() == [], "\(model)")
        }
    }

    /// The properties of a model and of the values in it, in the form `Type.property`.
    private static func properties(of type: Any.Type, in path: [Any.Type]) -> Set<String> {
        guard type is any TemplateValues.Type, !path.contains(where: { $0 == type }) else { return [] }
        return Templates.fields(of: type).reduce(into: []) { properties, field in
            properties.insert("\(type).\(field.name)")
            properties.formUnion(Self.properties(of: Templates.element(of: field.type), in: path + [type]))
        }
    }

    // MARK: Tests of the check itself

    private struct Outer: PageModel {
        struct Inner: TemplateValues { var id: Int }

        static let template = "outer"
        var title = ""
        var alert: String?
        var inner: Inner?
        var list: [Inner]
        var unused = 0
    }

    private func faults(_ text: String) -> [String] {
        var used: Set<String> = []
        return Templates(texts: ["outer": text, "part": "{{id}}"], keys: ["a.b"])
            .faults(of: "outer", with: [Outer.self], used: &used)
    }

    @Test func namesAreLookedUpInEnclosingSections() {
        #expect(faults("{{title}}{{#alert}}{{alert}}{{/alert}}{{#inner}}{{id}}{{title}}{{/inner}}") == [])
        #expect(faults("{{^inner}}{{title}}{{/inner}}{{#list}}{{>part}}{{/list}}{{t.a.b}}") == [])
        #expect(faults("{{{title}}}{{<part}}{{$head}}{{title}}{{/head}}{{/part}}") == ["outer: part: id"])
        #expect(faults("{{id}}{{^inner}}{{id}}{{/inner}}{{>part}}") == ["outer: id", "outer: id", "outer: part: id"])
        #expect(
            faults("{{t.a.c}}{{>none}}{{list.id}}") == ["outer: t.a.c", "outer: no template none", "outer: list.id"])
        #expect(faults("{{#list}}{{.}}{{/list}}") == ["outer: ."])
    }

    @Test func propertiesThatNoTemplateUsesAreReported() {
        var used: Set<String> = []
        _ = Templates(texts: ["outer": "{{title}}{{#list}}{{id}}{{/list}}"], keys: [])
            .faults(of: "outer", with: [Outer.self], used: &used)
        #expect(
            Self.properties(of: Outer.self, in: []).subtracting(used) == ["Outer.alert", "Outer.inner", "Outer.unused"])
    }
}

/// Parses the names, sections and partials of the templates.
private struct Templates {
    private enum Token {
        case name(String)
        /// An inverted section is rendered if the value is missing. The tokens are the contents of the section.
        case section(String, isInverted: Bool, [Token])
        case partial(String)
    }

    let texts: [String: String]
    private let keys: Set<String>

    init() throws {
        let folder = try PageResources.folder()
        let templates = folder.appendingPathComponent("templates")
        var texts: [String: String] = [:]
        let files = try FileManager.default.subpathsOfDirectory(atPath: templates.path)
        for file in files where file.hasSuffix(".mustache") {
            let name = file.split(separator: "/").last?.dropLast(".mustache".count) ?? ""
            texts[String(name)] = try String(contentsOf: templates.appendingPathComponent(file), encoding: .utf8)
        }
        self.init(texts: texts, keys: try PageTexts(.english, from: folder).keys)
    }

    init(texts: [String: String], keys: Set<String>) {
        (self.texts, self.keys) = (texts, keys)
    }

    /// The names in a template that no type has.
    func faults(of template: String, with stack: [Any.Type]) -> [String] {
        var used: Set<String> = []
        return faults(of: template, with: stack, used: &used)
    }

    /// - Parameters:
    ///   - stack: The types in which names are looked up, the innermost last.
    ///   - used: Collects the properties that the template uses, in the form `Type.property`.
    func faults(of template: String, with stack: [Any.Type], used: inout Set<String>) -> [String] {
        guard let text = texts[template] else { return ["no template \(template)"] }
        return faults(Self.tokens(text), stack, &used).map { "\(template): \($0)" }
    }

    /// Adds the template and all its partials to the set.
    func reach(_ template: String, _ reached: inout Set<String>) {
        guard reached.insert(template).inserted, let text = texts[template] else { return }
        for tag in text.matches(of: /\{\{[<>]\s*([\w-]+)/) { reach(String(tag.1), &reached) }
    }

    private func faults(_ tokens: [Token], _ stack: [Any.Type], _ used: inout Set<String>) -> [String] {
        var faults: [String] = []
        for token in tokens {
            switch token {
            case .name(let name): if find(name, in: stack, &used) == nil { faults.append(name) }
            case .partial(let name): faults += self.faults(of: name, with: stack, used: &used)
            case .section(let name, let isInverted, let inner):
                guard let type = find(name, in: stack, &used) else {
                    faults.append(name)
                    continue
                }
                faults += self.faults(inner, isInverted ? stack : stack + [Self.element(of: type)], &used)
            }
        }
        return faults
    }

    private func find(_ name: String, in stack: [Any.Type], _ used: inout Set<String>) -> Any.Type? {
        // A model or one of its structs cannot be rendered as text.
        if name == "." { return stack.last.flatMap { $0 is any TemplateValues.Type ? nil : $0 } }
        if name.hasPrefix("t.") { return keys.contains(String(name.dropFirst(2))) ? String.self : nil }
        let parts = name.split(separator: ".").map(String.init)
        for type in stack.reversed() {
            guard let field = Self.fields(of: type).first(where: { $0.name == parts[0] }) else { continue }
            used.insert("\(type).\(parts[0])")
            guard parts.count > 1 else { return field.type }
            return find(parts.dropFirst().joined(separator: "."), in: [field.type], &used)
        }
        return nil
    }

    static func fields(of type: Any.Type) -> [(name: String, type: Any.Type)] {
        guard type is any TemplateValues.Type else { return [] }
        var fields: [(name: String, type: Any.Type)] = []
        _ = _forEachField(of: type) { name, _, type, _ in
            fields.append((String(cString: name), type))
            return true
        }
        return fields
    }

    /// The type of an optional value or of a list's elements.
    static func element(of type: Any.Type) -> Any.Type {
        (type as? any Wrapping.Type).map { element(of: $0.wrapped) } ?? type
    }

    private static func tokens(_ text: String) -> [Token] {
        let tags = text.matches(of: /\{\{(\{?)([#^\/<>$&!]?)\s*([\w.-]+)?[^}]*\}\}\}?/).map {
            (kind: String($0.2), name: String($0.3 ?? ""))
        }
        var remainingTags = tags[...]
        return tokens(&remainingTags)
    }

    private static func tokens(_ tags: inout ArraySlice<(kind: String, name: String)>) -> [Token] {
        var tokens: [Token] = []
        while let tag = tags.popFirst() {
            switch tag.kind {
            case "/": return tokens
            case "#", "^":
                let inner = Self.tokens(&tags)
                tokens.append(.section(tag.name, isInverted: tag.kind == "^", inner))
            case "<":
                tokens.append(.partial(tag.name))
                tokens += Self.tokens(&tags)
            case "$": tokens += Self.tokens(&tags)
            case ">": tokens.append(.partial(tag.name))
            case "!": break
            default: tokens.append(.name(tag.name))
            }
        }
        return tokens
    }
}

private protocol Wrapping {
    static var wrapped: Any.Type { get }
}

extension Optional: Wrapping {
    fileprivate static var wrapped: Any.Type { Wrapped.self }
}

extension Array: Wrapping {
    fileprivate static var wrapped: Any.Type { Element.self }
}
