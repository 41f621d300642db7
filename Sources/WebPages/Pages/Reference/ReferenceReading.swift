import StrictJSON

/// Reads groups, operations and objects from the OpenAPI document.
struct ReferenceReading {
    let document: JSONValue
    let schemas: SchemaReading
    private static let methods = ["get", "post", "put", "patch", "delete"]

    var introduction: [Prose.Paragraph] { Prose.paragraphs(document["info"]?["description"]?.string) }

    var groups: [(name: String, description: String)] {
        (document["tags"]?.array ?? []).compactMap { tag in
            tag["name"]?.string.map { ($0, tag["description"]?.string ?? "") }
        }
    }

    /// The operations of a group in the order of the document's paths.
    func operations(of group: String) -> [OperationsPage.Operation] {
        (document["paths"]?.members ?? []).flatMap { path in
            Self.methods.compactMap { method in
                guard let value = path.value[method], value["tags"]?[0]?.string == group else { return nil }
                return operation(value, method: method, path: path)
            }
        }
    }

    private func operation(_ value: JSONValue, method: String, path: JSONValue.Member) -> OperationsPage.Operation {
        let access = (value["security"]?.array ?? []).flatMap { $0.members ?? [] }.map(\.name)
        let parameters = (path.value["parameters"]?.array ?? []) + (value["parameters"]?.array ?? [])
        let responses = (value["responses"]?.members ?? []).map { (member: $0, value: resolved($0.value)) }
        let problems = responses.filter { Self.isProblem($0.value) }
        return OperationsPage.Operation(
            id: value["operationId"]?.string ?? "", method: method.uppercased(), path: path.name,
            summary: value["summary"]?.string ?? "", paragraphs: Prose.paragraphs(value["description"]?.string),
            access: access, hasAccess: !access.isEmpty, parameters: parameters.map(parameter),
            hasParameters: !parameters.isEmpty,
            body: value["requestBody"].map { body in
                .init(
                    paragraphs: Prose.paragraphs(body["description"]?.string),
                    media: (body["content"]?.members ?? []).map(content))
            },
            answers: responses.filter { !Self.isProblem($0.value) }.map { response($0.value, status: $0.member.name) },
            problems: problems.isEmpty
                ? nil
                : .init(
                    statuses: problems.map(\.member.name).joined(separator: ", "),
                    answers: problems.map { response($0.value, status: $0.member.name) }))
    }

    private func parameter(_ value: JSONValue) -> OperationsPage.Parameter {
        let parameter = resolved(value)
        let schema = parameter["schema"] ?? .null
        return .init(
            name: parameter["name"]?.string ?? "", place: parameter["in"]?.string ?? "",
            isRequired: parameter["required"]?.bool ?? false,
            paragraphs: Prose.paragraphs(parameter["description"]?.string), kind: schemas.kind(schema),
            bounds: schemas.bounds(schema))
    }

    private func content(_ media: JSONValue.Member) -> OperationsPage.Content {
        let schema = media.value["schema"] ?? .null
        return .init(
            type: media.name, kind: schemas.kind(schema), table: schemas.table(schema),
            example: media.value["example"].map { $0.string ?? $0.indented() })
    }

    private static func isProblem(_ response: JSONValue) -> Bool {
        (response["content"]?.members ?? []).contains { $0.name == "application/problem+json" }
    }

    private func response(_ response: JSONValue, status: String) -> OperationsPage.Response {
        let headers = (response["headers"]?.members ?? []).map(\.name)
        return .init(
            status: status, paragraphs: Prose.paragraphs(response["description"]?.string),
            media: Self.isProblem(response) ? [] : (response["content"]?.members ?? []).map(content), headers: headers,
            hasHeaders: !headers.isEmpty)
    }

    /// The target of a reference such as `#/components/parameters/Limit`, or the value itself if it is not a reference.
    func resolved(_ value: JSONValue) -> JSONValue {
        guard let path = value["$ref"]?.string else { return value }
        return path.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] ?? .null }
    }

    /// All named schemas.
    var objects: [ObjectsPage.Object] {
        (document["components"]?["schemas"]?.members ?? []).map { object in
            .init(
                name: object.name, paragraphs: Prose.paragraphs(object.value["description"]?.string),
                table: schemas.table(object.value), kind: schemas.kind(object.value),
                bounds: schemas.bounds(object.value))
        }
    }
}

extension JSONValue {
    /// The JSON text with one member on each line. Lists of simple values are on one line.
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
