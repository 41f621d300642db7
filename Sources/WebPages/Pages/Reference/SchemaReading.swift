import StrictJSON

/// Describes a schema of the API's document in words and tables.
struct SchemaReading {
    let texts: PageTexts

    /// The type of a value: words, the name of an object with a link, more words. The names of the template `docs-kind`.
    struct Kind: TemplateValues {
        var words = ""
        var link: String?
        var rest = ""
    }

    /// The properties of an object: the names of the template `docs-rows`.
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

    private static let maxDepth = 4

    static func name(of schema: JSONValue) -> String? {
        schema["$ref"]?.string.flatMap { $0.split(separator: "/").last.map(String.init) }
    }

    func kind(_ schema: JSONValue) -> Kind {
        if let name = Self.name(of: schema) { return Kind(link: name) }
        if let every = schema["allOf"]?.array, let named = every.first(where: { Self.name(of: $0) != nil }) {
            return kind(named)
        }
        if let ways = schema["oneOf"]?.array ?? schema["anyOf"]?.array {
            let kinds = ways.map(kind)
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

    /// Nil for a value that is no object.
    func table(_ schema: JSONValue) -> Table? {
        let rows = rows(schema)
        return rows.isEmpty ? nil : Table(rows: rows)
    }

    /// One row for each property, with those of nested objects: `form.code`, `questions[].key`.
    private func rows(_ schema: JSONValue, prefix: String = "", depth: Int = 0) -> [Table.Row] {
        let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
        let own = (schema["properties"]?.members ?? []).flatMap { property -> [Table.Row] in
            let name = prefix + property.name
            let row = Table.Row(
                name: name, isRequired: required.contains(property.name),
                paragraphs: Prose.paragraphs(property.value["description"]?.string), kind: kind(property.value),
                bounds: bounds(property.value))
            guard depth < Self.maxDepth else { return [row] }
            let items = property.value["items"]
            let inner = items.map { ($0, name + "[].") } ?? (property.value, name + ".")
            return [row] + rows(inner.0, prefix: inner.1, depth: depth + 1)
        }
        return own + (schema["allOf"]?.array ?? []).flatMap { rows($0, prefix: prefix, depth: depth) }
    }

    /// The constraints of a value: `1–300 characters`, `one of host, admin`.
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
        if let standard = schema["default"] {
            bounds.append(texts("docs.default", ["value": standard.string ?? standard.text]))
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
