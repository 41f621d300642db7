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
        _ session: HostSession, alert: String? = nil, sentences: [ImportRefusal.Sentence] = [],
        status: HTTPResponse.Status = .ok
    ) async throws -> PageResponse {
        let page = session.page
        let id = Self.seriesID(page)
        let target = try await SeriesChoice(id, session.reader(), page.texts, withQuestions: false)
        if id != nil, target.chosen == nil, alert == nil { return try await start(session, ImportRefusal(.noSeries)) }
        let limits = ["size": StorageCard.size(PackedFile.maxBytes, in: page.language)]
        let model = ImportStartPage(
            title: page.texts("import.title"), alert: alert, sentences: sentences,
            fileHint: page.texts("import.file-hint", limits), target: target.isOffered ? target.field.values : nil)
        return page.page(model, status: status)
    }

    private func start(_ session: HostSession, _ refusal: ImportRefusal) async throws -> PageResponse {
        let texts = session.page.texts
        return try await start(
            session, alert: refusal.alert(texts), sentences: refusal.sentences(texts), status: refusal.status)
    }

    /// The series that a link or the form of the first step has chosen. Nil for a new one.
    private static func seriesID(_ page: PageRequest) -> UUID? {
        (page.query["series"] ?? page.fields["into"]).flatMap { UUID(uuidString: $0) }
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
            let reader = try await session.reader()
            var sheet = ImportSheet(FormFields())
            sheet.seriesID = map == nil ? Self.seriesID(page) : nil
            (sheet.map, sheet.seriesTitle) = (map, ImportMap.title(ofFile: file.name))
            sheet.meetingTitle = sheet.seriesTitle
            sheet.timeZone = reader.timeZone ?? "UTC"
            let target = try await SeriesChoice(sheet.seriesID, reader, page.texts)
            guard sheet.seriesID == nil || target.chosen != nil else { throw ImportRefusal(.noSeries) }
            let step = Step(session: session, job: job, file: file, sample: sample, target: target)
            return try await columns(step, try await job.proposal(sheet, sample, step.known))
        } catch let refusal as ImportRefusal {
            return try await start(session, refusal)
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

    /// What the second step works on.
    private struct Step {
        var session: HostSession
        var job: ImportJob
        var file: PackedFile
        var sample: CSVSample
        var target: SeriesChoice

        /// The questions of the chosen series.
        var known: KnownQuestions? { target.chosen.map { KnownQuestions($0) } }
    }

    private func columns(
        _ step: Step, _ sheet: ImportSheet, _ outcome: ImportColumnsPage.Outcome = .init()
    ) async throws -> PageResponse {
        let packed = try await step.job.packed(step.file)
        let page = step.session.page
        return try await render(page, status: outcome.refusal?.status ?? .ok) {
            ImportColumnsPage(page, step.file, packed: packed, step.sample, sheet, step.target, outcome)
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
        var sheet = ImportSheet(page.fields)
        let target = try await SeriesChoice(
            sheet.map == nil ? sheet.seriesID : nil, session.reader(), page.texts)
        let sample: CSVSample
        var misread: ImportRefusal?
        do {
            (sample, misread) = try await read(file, sheet, job)
        } catch let refusal as ImportRefusal {
            return try await start(session, refusal)
        }
        if let alert = Self.refusal(of: sample, page) {
            return try await start(session, alert: alert, status: .unprocessableContent)
        }
        let step = Step(session: session, job: job, file: file, sample: sample, target: target)
        let isGone = sheet.map == nil && sheet.seriesID != nil && target.chosen == nil
        let refusal = misread ?? (isGone ? ImportRefusal(.noSeries) : nil)
        let action = page.fields["act"] ?? ""
        if action == "read" || misread != nil || sheet.columnCount != sample.header.count {
            sheet = try await job.proposal(sheet, sample, step.known)
            return try await columns(step, sheet, .init(refusal: refusal))
        }
        if let refusal { return try await columns(step, sheet, .init(refusal: refusal)) }
        if sheet.hasOtherSeries, let known = step.known { sheet.match(known, sample.header) }
        return try await apply(action, step, sheet)
    }

    /// Reads the file with the chosen delimiter and encoding. If it has no usable header then, reads it as it seems to
    /// be, and returns the reason too.
    private func read(
        _ file: PackedFile, _ sheet: ImportSheet, _ job: ImportJob
    ) async throws -> (CSVSample, ImportRefusal?) {
        do {
            return (try await job.sample(file, delimiter: sheet.delimiter, encoding: sheet.encoding), nil)
        } catch let refusal as ImportRefusal {
            guard case .file(let fault) = refusal.reason else { throw refusal }
            return (try await job.sample(file, delimiter: nil, encoding: nil), ImportRefusal(.misread(fault)))
        }
    }

    /// Makes the map, checks or imports.
    private func apply(_ action: String, _ step: Step, _ sheet: ImportSheet) async throws -> PageResponse {
        let (page, job) = (step.session.page, step.job)
        do {
            guard step.known == nil || !sheet.uses.contains(.series) else { throw ImportRefusal(.seriesColumn) }
            let map = try await job.map(sheet, step.sample, step.known)
            if action == "map" {
                return .file(Array(map.text.utf8), name: "map.json", type: "application/json", page.kit)
            }
            let plan = try await job.plan(step.file, step.sample, map)
            let report = try await job.run(plan, map, isDryRun: action != "import")
            switch action {
            case "import":
                return try await render(page) { ImportDonePage(page, report, plan) }
            case "refused":
                let rows = try await job.refusedRows(of: report)
                return .file(rows, name: "refused.csv", type: "text/csv; charset=utf-8", page.kit)
            default:
                return try await columns(step, sheet, .init(report: report))
            }
        } catch let refusal as ImportRefusal {
            return try await columns(step, sheet, .init(refusal: refusal))
        }
    }
}
