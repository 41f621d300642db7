import StrictJSON

/// A schema of the API's document in words and rows.
struct SchemaReading {
    let texts: PageTexts

    /// What kind of value it is: words before a name that is explained elsewhere, the name, words after it.
    struct Kind {
        var words = ""
        var link: String?
        var rest = ""

        var values: [String: Any] {
            var values: [String: Any] = ["words": words, "rest": rest]
            values["link"] = link
            return values
        }
    }

    private static let deepest = 4

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

    /// For templates: its kind and its bounds.
    func values(_ schema: JSONValue) -> [String: Any] {
        let bounds = bounds(schema)
        return ["kind": kind(schema).values, "bounds": bounds, "hasBounds": !bounds.isEmpty]
    }

    /// A row a property, those of nested objects after a point: `form.code`, `questions[].key`.
    func rows(_ schema: JSONValue, prefix: String = "", depth: Int = 0) -> [[String: Any]] {
        let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
        let own = (schema["properties"]?.members ?? []).flatMap { property -> [[String: Any]] in
            let name = prefix + property.name
            let row: [String: Any] = [
                "name": name, "isRequired": required.contains(property.name),
                "paragraphs": Prose.paragraphs(property.value["description"]?.string),
            ].merging(values(property.value)) { $1 }
            guard depth < Self.deepest else { return [row] }
            let items = property.value["items"]
            let inner = items.map { ($0, name + "[].") } ?? (property.value, name + ".")
            return [row] + rows(inner.0, prefix: inner.1, depth: depth + 1)
        }
        return own + (schema["allOf"]?.array ?? []).flatMap { rows($0, prefix: prefix, depth: depth) }
    }

    /// What a value has to keep to: `1–300 characters`, `one of host, admin`.
    func bounds(_ schema: JSONValue) -> String {
        var bounds: [String] = []
        if let format = schema["format"]?.string { bounds.append(format) }
        let few = (schema["enum"] ?? schema["items"]?["enum"])?.array
        if let few {
            let values = few.map { $0.string ?? $0.text }.joined(separator: ", ")
            bounds.append(texts("docs.one-of", ["values": values]))
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
        return bounds.joined(separator: " · ")
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
