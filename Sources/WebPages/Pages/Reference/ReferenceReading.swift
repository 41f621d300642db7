import StrictJSON

/// The API's document as its pages show it: groups of operations, and the objects they speak of.
struct ReferenceReading {
    let document: JSONValue
    let schemas: SchemaReading
    private static let methods = ["get", "post", "put", "patch", "delete"]

    init(_ document: JSONValue, texts: PageTexts) {
        self.document = document
        schemas = SchemaReading(texts: texts)
    }

    var introduction: [[String: Any]] { Prose.paragraphs(document["info"]?["description"]?.string) }

    var groups: [(name: String, description: String)] {
        (document["tags"]?.array ?? []).compactMap { tag in
            tag["name"]?.string.map { ($0, tag["description"]?.string ?? "") }
        }
    }

    /// Every operation of a group in the document's order.
    func operations(of group: String) -> [[String: Any]] {
        (document["paths"]?.members ?? []).flatMap { path in
            Self.methods.compactMap { method in
                guard let operation = path.value[method], operation["tags"]?[0]?.string == group else { return nil }
                return values(operation, method: method, path: path)
            }
        }
    }

    private func values(_ operation: JSONValue, method: String, path: JSONValue.Member) -> [String: Any] {
        let access = (operation["security"]?.array ?? []).flatMap { $0.members ?? [] }.map { ["name": $0.name] }
        let parameters = (path.value["parameters"]?.array ?? []) + (operation["parameters"]?.array ?? [])
        let body = operation["requestBody"]
        let media = body?["content"]?.members ?? []
        var values: [String: Any] = [
            "id": operation["operationId"]?.string ?? "", "method": method.uppercased(), "path": path.name,
            "summary": operation["summary"]?.string ?? "",
            "paragraphs": Prose.paragraphs(operation["description"]?.string), "access": access,
            "hasAccess": !access.isEmpty, "parameters": parameters.map(parameter), "hasParameters": !parameters.isEmpty,
        ]
        let answers = (operation["responses"]?.members ?? []).map(answer)
        values["answers"] = answers.filter { !$0.isProblem }.map(\.values)
        let problems = answers.filter(\.isProblem)
        values["problems"] = problems.map(\.values)
        values["statuses"] = problems.map(\.status).joined(separator: ", ")
        values["hasProblems"] = !problems.isEmpty
        if body != nil {
            values["body"] = [
                "paragraphs": Prose.paragraphs(body?["description"]?.string),
                "media": media.map { content($0) }, "isRequired": body?["required"]?.bool ?? false,
            ]
        }
        return values
    }

    private func parameter(_ given: JSONValue) -> [String: Any] {
        let parameter = resolved(given)
        let schema = parameter["schema"] ?? .null
        return [
            "name": parameter["name"]?.string ?? "", "place": parameter["in"]?.string ?? "",
            "isRequired": parameter["required"]?.bool ?? false,
            "paragraphs": Prose.paragraphs(parameter["description"]?.string),
        ].merging(schemas.values(schema)) { $1 }
    }

    private func content(_ media: JSONValue.Member) -> [String: Any] {
        let schema = media.value["schema"] ?? .null
        var values: [String: Any] = [
            "type": media.name, "kind": schemas.kind(schema).values, "rows": schemas.rows(schema),
            "hasRows": !schemas.rows(schema).isEmpty,
        ]
        values["example"] = media.value["example"].map { $0.string ?? $0.indented() }
        return values
    }

    private func answer(_ given: JSONValue.Member) -> (status: String, isProblem: Bool, values: [String: Any]) {
        let answer = resolved(given.value)
        let media = answer["content"]?.members ?? []
        let isProblem = media.contains { $0.name == "application/problem+json" }
        let values: [String: Any] = [
            "status": given.name, "paragraphs": Prose.paragraphs(answer["description"]?.string),
            "media": isProblem ? [] : media.map(content),
            "headers": (answer["headers"]?.members ?? []).map { ["name": $0.name] },
            "hasHeaders": !(answer["headers"]?.members ?? []).isEmpty,
        ]
        return (given.name, isProblem, values)
    }

    /// `#/components/parameters/Limit` and its like, as it stands there.
    func resolved(_ value: JSONValue) -> JSONValue {
        guard let path = value["$ref"]?.string else { return value }
        return path.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] ?? .null }
    }

    /// All objects that have a name.
    var objects: [[String: Any]] {
        (document["components"]?["schemas"]?.members ?? []).map { object in
            let rows = schemas.rows(object.value)
            return [
                "name": object.name, "paragraphs": Prose.paragraphs(object.value["description"]?.string), "rows": rows,
                "hasRows": !rows.isEmpty,
            ].merging(schemas.values(object.value)) { $1 }
        }
    }
}

extension JSONValue {
    /// For reading: a member a line.
    func indented(_ indent: String = "") -> String {
        let inner = indent + "  "
        switch self {
        case .object(let members) where !members.isEmpty:
            let lines = members.map { "\(inner)\(JSONValue.string($0.name).text): \($0.value.indented(inner))" }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        case .array(let items) where items.contains { $0.members != nil }:
            return "[\n\(items.map { inner + $0.indented(inner) }.joined(separator: ",\n"))\n\(indent)]"
        default: return text
        }
    }
}
