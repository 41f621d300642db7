import HTTPAPI
import HTTPTypes
import HummingbirdCore

/// The API's reference, made from its own document: an overview, a page a group of operations, a page of objects.
struct ReferencePages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] {
        [
            PageRoute("/docs", get: overview), PageRoute("/docs/objects", get: objects),
            PageRoute("/docs/{group}", get: group),
        ]
    }

    private func reading(_ page: PageRequest) throws -> ReferenceReading {
        ReferenceReading(try OpenAPIDocument.load().value, texts: page.texts)
    }

    private func overview(_ page: PageRequest) async throws -> PageAnswer {
        let reading = try reading(page)
        return page.page(
            "docs",
            [
                "title": page.texts("docs.title"), "introduction": reading.introduction, "isWide": true,
                "isReference": true,
                "groups": reading.groups.map { group in
                    [
                        "name": group.name, "description": group.description,
                        "operations": reading.operations(of: group.name),
                    ] as [String: Any]
                },
            ])
    }

    private func group(_ page: PageRequest) async throws -> PageAnswer {
        let reading = try reading(page)
        guard let group = reading.groups.first(where: { $0.name == page.parameter("group") }) else {
            throw PageError.notFound
        }
        return page.page(
            "docs-group",
            [
                "title": group.name, "description": group.description, "isWide": true, "isReference": true,
                "operations": reading.operations(of: group.name),
                "groups": reading.groups.map { ["name": $0.name, "isHere": $0.name == group.name] as [String: Any] },
            ])
    }

    private func objects(_ page: PageRequest) async throws -> PageAnswer {
        page.page(
            "docs-objects",
            [
                "title": page.texts("docs.objects"), "isWide": true, "isReference": true,
                "objects": try reading(page).objects,
            ])
    }
}
