import StrictJSON

/// Describes a schema of the OpenAPI document as text and tables.
struct SchemaReading {
    let texts: PageTexts

    /// The type of a value. The values of the template `docs-kind`.
    struct Kind: TemplateValues {
        /// The text before the link.
        var words = ""
        /// The name of an object. It links to the object's description.
        var link: String?
        /// The text after the link.
        var rest = ""
    }

    /// The properties of an object. The values of the template `docs-rows`.
    struct Table: TemplateValues {
        struct Row: TemplateValues {
            var name: String
            var isRequired: Bool
            var paragraphs: [Prose.Paragraph]
            var kind: Kind
            var bounds: String?
        }

        var rows: [Row]
    }

    /// The deepest level of nested properties in a table.
    private static let maxDepth = 4

    /// The name of the schema to which `schema` refers; nil if `schema` is not a reference.
    static func name(of schema: JSONValue) -> String? {
        schema["$ref"]?.string.flatMap { $0.split(separator: "/").last.map(String.init) }
    }

    func kind(_ schema: JSONValue) -> Kind {
        if let name = Self.name(of: schema) { return Kind(link: name) }
        if let parts = schema["allOf"]?.array, let named = parts.first(where: { Self.name(of: $0) != nil }) {
            return kind(named)
        }
        if let alternatives = schema["oneOf"]?.array ?? schema["anyOf"]?.array {
            let kinds = alternatives.map(kind)
            let linked = kinds.first { $0.link != nil }
            let others = kinds.filter { $0.link == nil || $0.link != linked?.link }.map { $0.link ?? $0.words }
            let separator = linked == nil || others.isEmpty ? "" : ", "
            return Kind(link: linked?.link, rest: separator + others.joined(separator: ", "))
        }
        if let value = schema["const"] { return Kind(words: value.string ?? value.text) }
        let types = (schema["type"]?.array ?? schema["type"].map { [$0] } ?? []).compactMap(\.string)
        guard types.contains("array"), let items = schema["items"] else {
            return Kind(words: types.isEmpty ? texts("docs.any") : types.joined(separator: ", "))
        }
        var kind = kind(items)
        kind.words = texts("docs.list-of") + " " + kind.words
        if types.contains("null") { kind.rest += ", null" }
        return kind
    }

    /// The table of an object's properties. Nil for a schema without properties.
    func table(_ schema: JSONValue) -> Table? {
        let rows = rows(schema)
        return rows.isEmpty ? nil : Table(rows: rows)
    }

    /// One row for each property, including those of nested objects, such as `form.code` or `questions[].key`.
    private func rows(_ schema: JSONValue, prefix: String = "", depth: Int = 0) -> [Table.Row] {
        let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
        let ownRows = (schema["properties"]?.members ?? []).flatMap { property -> [Table.Row] in
            let name = prefix + property.name
            let row = Table.Row(
                name: name, isRequired: required.contains(property.name),
                paragraphs: Prose.paragraphs(property.value["description"]?.string), kind: kind(property.value),
                bounds: bounds(property.value))
            guard depth < Self.maxDepth else { return [row] }
            let items = property.value["items"]
            let (nested, nestedPrefix) = items.map { ($0, name + "[].") } ?? (property.value, name + ".")
            return [row] + rows(nested, prefix: nestedPrefix, depth: depth + 1)
        }
        return ownRows + (schema["allOf"]?.array ?? []).flatMap { rows($0, prefix: prefix, depth: depth) }
    }

    /// The constraints of a value, such as `1–300 characters` or `one of host, admin`.
    func bounds(_ schema: JSONValue) -> String? {
        var bounds: [String] = []
        if let format = schema["format"]?.string { bounds.append(format) }
        let values = (schema["enum"] ?? schema["items"]?["enum"])?.array
        if let values {
            let list = values.map { $0.string ?? $0.text }.joined(separator: ", ")
            bounds.append(texts("docs.one-of", ["values": list]))
        }
        for (least, most, unit) in [
            ("minLength", "maxLength", "docs.characters"), ("minItems", "maxItems", "docs.items"),
            ("minimum", "maximum", ""),
        ] {
            guard let range = range(schema[least]?.text, schema[most]?.text) else { continue }
            bounds.append(unit.isEmpty ? range : texts(unit, ["range": range]))
        }
        if let pattern = schema["pattern"]?.string { bounds.append(pattern) }
        if let defaultValue = schema["default"] {
            bounds.append(texts("docs.default", ["value": defaultValue.string ?? defaultValue.text]))
        }
        return bounds.joined(separator: " · ").nonEmpty
    }

    private func range(_ least: String?, _ most: String?) -> String? {
        switch (least, most) {
        case (let least?, let most?): least == most ? least : "\(least)–\(most)"
        case (let least?, nil): "≥ \(least)"
        case (nil, let most?): "≤ \(most)"
        case (nil, nil): nil
        }
    }
}
