import Contract
import Foundation
import HTTPTypes
import HummingbirdCore

/// Exports the meetings of all hosts in a period.
struct AdminExportPages: Sendable {
    private static let kinds = ["summary", "questions", "meetings"]
    private static let formats = ["xlsx", "csv", "ndjson"]

    var routes: [PageRoute] {
        [PageRoute("/admin/exports", get: show), PageRoute("/admin/exports/file", get: file, isStreamed: true)]
    }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        try await AdminPages.requireAdmin(HostSession(page))
        return view(page)
    }

    private func view(
        _ page: PageRequest, _ faults: [ProblemBody.FaultBody] = [], status: HTTPResponse.Status = .ok
    ) -> PageResponse {
        func choice(_ name: String, _ values: [String]) -> PageField {
            PageField(
                name: name, label: page.texts("admin.export-\(name)"), value: page.query[name] ?? values[0],
                kind: .choice(values.map { ($0, page.texts("admin.export-\(name)-\($0)")) }))
        }
        func day(_ name: String) -> PageField {
            PageField(
                name: name, label: page.texts("admin.export-\(name)"), value: page.query[name] ?? "", type: "date",
                hint: page.texts("admin.export-\(name)-hint"), faults: page.messages(for: faults, at: "?\(name)"))
        }
        let heading = AdminHeading("exports", page)
        let fields = [choice("what", Self.kinds), choice("format", Self.formats), day("from"), day("to")]
        return page.page(
            ExportsPage(title: heading.title, heading: heading, fields: fields.map(\.values)), status: status)
    }

    private func file(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let kind = Self.kinds.first { $0 == page.query["what"] } ?? Self.kinds[0]
        let format = Self.formats.first { $0 == page.query["format"] } ?? Self.formats[0]
        var query = page.apiQuery(["from"])
        if let to = page.query["to"], !to.isEmpty { query.add("to", Self.dayAfter(to) ?? to) }
        // Without a byte order mark, spreadsheet programs do not read a CSV file as UTF-8.
        if format == "csv" { query.add("bom", "true") }
        // People open the workbook, so its columns have titles. Programs use the API and get the keys.
        if format == "xlsx" { query.add("titles", "true") }
        let source = "/v1/admin/export/\(kind).\(format)\(query.text)"
        let relayed = try await page.kit.api.relay(exactly: source, for: page, as: session.authorization)
        if relayed.status == .ok { return PageResponse(relayed: relayed) }
        let response = try await page.send(.get, source, as: session.authorization, headers: [.accept: "*/*"])
        guard response.status == .unprocessableContent || response.status == .badRequest else {
            try session.check(response)
            throw PageError(response)
        }
        return view(page, response.problem?.errors ?? [], status: response.status)
    }

    /// The day after `day`; nil if the text is not a date. The form includes its last day, but the API excludes the end
    /// of a period.
    static func dayAfter(_ day: String) -> String? {
        guard let date = LocalTime(zone: .gmt).parse(day + "T00:00") else { return nil }
        return String(LocalTime(zone: .gmt).field(date.addingTimeInterval(86_400)).prefix(10))
    }
}

/// The form for an export.
struct ExportsPage: PageModel {
    static let template = "admin-exports"
    var title: String
    var heading: AdminHeading
    var fields: [PageField.Values]
}
