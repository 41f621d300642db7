import Domain
import Foundation
import HTTPAPI
import HTTPTypes
import HummingbirdCore
import Imports
import NIOCore
import Store

/// Imports a CSV file in the browser: choose a file, say what its columns are, check, import. Each step is a form that
/// the server makes, and carries the file on (`PackedFile`).
struct ImportPages: Sendable {
    private static let path = "/import"
    private static let columnsPath = "/import/columns"

    var routes: [PageRoute] {
        [
            PageRoute(
                Self.path, get: { try await start(HostSession($0)) }, post: upload,
                maxBytes: PackedFile.maxBytes + (1 << 20), needsSession: true, acceptsFiles: true),
            PageRoute(
                Self.columnsPath, get: { _ in .redirect(to: Self.path) }, post: apply,
                maxBytes: PackedFile.maxFormBytes, needsSession: true),
        ]
    }

    private func start(
        _ session: HostSession, alert: String? = nil, sentences: [String] = [], status: HTTPResponse.Status = .ok
    ) async throws -> PageResponse {
        let page = session.page
        _ = try await session.reader()
        let limits = ["size": StorageCard.size(PackedFile.maxBytes, in: page.language)]
        let model = ImportStartPage(
            title: page.texts("import.title"), alert: alert, sentences: sentences,
            fileHint: page.texts("import.file-hint", limits))
        return page.page(model, status: status)
    }

    /// Calls `body` with the only import of the account that runs at this time.
    private func withJob(
        _ session: HostSession, _ body: (ImportJob) async throws -> PageResponse
    ) async throws -> PageResponse {
        let page = session.page
        guard let token = page.cookies[.session], let principal = try await page.kit.store.tokens.find(token),
            principal.isSession
        else { throw PageRedirect(path: "/sign-in?next=" + Self.path) }
        let lease = try await ImportJob.accounts.acquire(
            for: principal.account.id, within: .seconds(10), else: "Another file of yours is being read.",
            retryAfter: 5)
        defer { withExtendedLifetime(lease) {} }
        return try await body(ImportJob(principal: principal, store: page.kit.store))
    }

    /// Renders a page. Pages of many columns take tens of milliseconds.
    private func render<Model: PageModel>(
        _ page: PageRequest, status: HTTPResponse.Status = .ok, _ model: () -> Model
    ) async throws -> PageResponse {
        try await page.kit.largePages.make(isLarge: true, for: page) { page.page(model(), status: status) }
    }

    // MARK: The file

    private func upload(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        func refuse(
            _ key: String, _ values: [String: String] = [:], _ status: HTTPResponse.Status = .unprocessableContent
        ) async throws -> PageResponse {
            try await start(session, alert: page.texts(key, values), status: status)
        }
        let size = ["size": StorageCard.size(PackedFile.maxBytes, in: page.language)]
        guard !page.isTooLarge else { return try await refuse("import.too-large", size, .contentTooLarge) }
        guard CSRFGuard.admits(page) else { return try await refuse("form.open-too-long", [:], .forbidden) }
        guard let bytes = page.files["file"] else { return try await refuse("import.no-file") }
        guard bytes.count <= PackedFile.maxBytes else {
            return try await refuse("import.too-large", size, .contentTooLarge)
        }
        let file = PackedFile(name: Self.fileName(page.fileNames["file"] ?? ""), bytes: Array(bytes))
        guard !file.isArchive else { return try await refuse("import.not-csv") }
        var map: String?
        if let bytes = page.files["map"] {
            guard bytes.count <= ImportSheet.maxMapBytes, let text = String(validating: bytes, as: UTF8.self) else {
                return try await refuse("import.map-unreadable")
            }
            map = text
        }
        return try await withJob(session) { try await open(file, map: map, session, $0) }
    }

    private func open(
        _ file: PackedFile, map: String?, _ session: HostSession, _ job: ImportJob
    ) async throws -> PageResponse {
        let page = session.page
        do {
            let sample = try await job.sample(file, delimiter: nil, encoding: nil)
            if let alert = Self.refusal(of: sample, page) {
                return try await start(session, alert: alert, status: .unprocessableContent)
            }
            var sheet = ImportSheet(FormFields())
            (sheet.map, sheet.seriesTitle) = (map, ImportMap.title(ofFile: file.name))
            sheet.meetingTitle = sheet.seriesTitle
            sheet.timeZone = try await session.reader().timeZone ?? "UTC"
            return try await columns(session, job, file, sample, try await job.proposal(sheet, sample))
        } catch let refusal as ImportJob.Refusal {
            return try await start(
                session, alert: page.texts("import.unusable"), sentences: refusal.sentences,
                status: .unprocessableContent)
        }
    }

    /// Why the page does not take a file that can be read. Nil if it does.
    private static func refusal(of sample: CSVSample, _ page: PageRequest) -> String? {
        guard sample.header.count <= ImportSheet.maxColumns else {
            return page.texts(
                "import.too-many-columns", ["number": "\(sample.header.count)", "most": "\(ImportSheet.maxColumns)"])
        }
        let long = sample.header.firstIndex { $0.utf8.count > ImportSheet.maxHeadingBytes }
        return long.map { index in
            let most = HealthPages.formatted(ImportSheet.maxHeadingBytes, in: page.language)
            return page.texts("import.long-heading", ["number": "\(index + 1)", "most": most])
        }
    }

    /// A file's name without control characters, which no title may contain.
    private static func fileName(_ name: String) -> String {
        let line = name.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return String(String.UnicodeScalarView(line.suffix(300)))
    }

    // MARK: The columns

    private func columns(
        _ session: HostSession, _ job: ImportJob, _ file: PackedFile, _ sample: CSVSample, _ sheet: ImportSheet,
        _ outcome: ImportColumnsPage.Outcome = .init(), status: HTTPResponse.Status = .ok
    ) async throws -> PageResponse {
        let packed = try await job.packed(file)
        return try await render(session.page, status: status) {
            ImportColumnsPage(session.page, file, packed: packed, sample, sheet, outcome)
        }
    }

    private func apply(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        guard CSRFGuard.admits(page) else {
            return try await start(session, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        guard page.fields["map"]?.utf8.count ?? 0 <= ImportSheet.maxMapBytes else {
            return try await start(session, alert: page.texts("import.map-unreadable"), status: .unprocessableContent)
        }
        return try await withJob(session) { try await apply(session, $0) }
    }

    private func apply(_ session: HostSession, _ job: ImportJob) async throws -> PageResponse {
        let page = session.page
        let name = Self.fileName(page.fields["name"] ?? "")
        guard let file = try await job.file(packed: page.fields["file"] ?? "", name: name) else {
            return try await start(session, alert: page.texts("import.no-file"), status: .unprocessableContent)
        }
        let sheet = ImportSheet(page.fields)
        let sample: CSVSample
        do {
            sample = try await job.sample(file, delimiter: sheet.delimiter, encoding: sheet.encoding)
        } catch let refusal as ImportJob.Refusal {
            return try await start(
                session, alert: page.texts("import.unusable"), sentences: refusal.sentences,
                status: .unprocessableContent)
        }
        if let alert = Self.refusal(of: sample, page) {
            return try await start(session, alert: alert, status: .unprocessableContent)
        }
        let action = page.fields["act"] ?? ""
        if action == "read" || sheet.columnCount != sample.header.count {
            return try await columns(session, job, file, sample, try await job.proposal(sheet, sample))
        }
        let map = try await job.map(sheet, sample)
        if action == "map" { return .file(Array(map.utf8), name: "map.json", type: "application/json", page.kit) }
        do {
            let plan = try await job.plan(file, sample, map: map)
            let report = try await job.run(plan, isDryRun: action != "import")
            switch action {
            case "import":
                return try await render(page) { ImportDonePage(page, report, plan) }
            case "refused":
                let rows = try await job.refusedRows(of: report)
                return .file(rows, name: "refused.csv", type: "text/csv; charset=utf-8", page.kit)
            default:
                return try await columns(session, job, file, sample, sheet, .init(report: report))
            }
        } catch let refusal as ImportJob.Refusal {
            let most = refusal.key == "too-many-rows" ? ImportJob.maxRows : ImportJob.maxMeetings
            let alert = page.texts(
                "import.\(refusal.key ?? "map-wrong")", ["most": HealthPages.formatted(most, in: page.language)])
            return try await columns(
                session, job, file, sample, sheet, .init(alert: alert, sentences: refusal.sentences),
                status: refusal.key == "no-access" ? .forbidden : .unprocessableContent)
        }
    }
}
