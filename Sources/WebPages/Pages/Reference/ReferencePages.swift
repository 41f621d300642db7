import HTTPAPI

/// The API's reference, generated from the OpenAPI document. It has an overview, a page for each group of operations,
/// and a page with all objects.
struct ReferencePages: Sendable {
    /// The rendered pages, by path.
    private let rendered = RenderedPages<String>()

    var routes: [PageRoute] {
        ComponentsPages().routes + [
            PageRoute("/docs", get: overview), PageRoute("/docs/objects", get: objects),
            PageRoute("/docs/{group}", get: group),
        ]
    }

    private func parsedReference(for page: PageRequest) throws -> ReferenceReading {
        ReferenceReading(document: try OpenAPIDocument.load().value, schemas: SchemaReading(texts: page.texts))
    }

    private func overview(_ page: PageRequest) async throws -> PageResponse {
        let reference = try parsedReference(for: page)
        return try await rendered.response("/docs", for: page, at: "/docs") {
            ReferencePage(
                title: page.texts("docs.title"), introduction: reference.introduction,
                groups: reference.groups.map { group in
                    .init(
                        name: group.name, description: group.description,
                        operations: reference.operations(of: group.name).map {
                            .init(id: $0.id, method: $0.method, path: $0.path, summary: $0.summary)
                        })
                })
        }
    }

    private func group(_ page: PageRequest) async throws -> PageResponse {
        let reference = try parsedReference(for: page)
        guard let group = reference.groups.first(where: { $0.name == page.parameter("group") }) else {
            throw PageError.notFound
        }
        let path = "/docs/\(group.name)"
        return try await rendered.response(path, for: page, at: path) {
            OperationsPage(
                title: group.name, description: group.description,
                groups: reference.groups.map { .init(name: $0.name, isHere: $0.name == group.name) },
                operations: reference.operations(of: group.name))
        }
    }

    private func objects(_ page: PageRequest) async throws -> PageResponse {
        let reference = try parsedReference(for: page)
        return try await rendered.response("/docs/objects", for: page, at: "/docs/objects") {
            ObjectsPage(title: page.texts("docs.objects"), objects: reference.objects)
        }
    }
}

/// The overview of the API's reference.
struct ReferencePage: PageModel {
    struct Group: TemplateValues {
        struct Operation: TemplateValues {
            var id: String
            var method: String
            var path: String
            var summary: String
        }

        var name: String
        var description: String
        var operations: [Operation]
    }

    static let template = "docs"
    static let isWide = true
    static let isReference = true
    var title: String
    var introduction: [Prose.Paragraph]
    var groups: [Group]
}

/// The objects of the API.
struct ObjectsPage: PageModel {
    struct Object: TemplateValues {
        var name: String
        var paragraphs: [Prose.Paragraph]
        var table: SchemaReading.Table?
        var kind: SchemaReading.Kind
        var bounds: String?
    }

    static let template = "docs-objects"
    static let isWide = true
    static let isReference = true
    var title: String
    var objects: [Object]
}
