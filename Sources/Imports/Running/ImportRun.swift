import Domain
import Foundation
import Store

/// Runs an import in pages of meetings and batches of rows, so that the memory for decoded rows does not grow with the
/// file.
public struct ImportRun: Sendable {
    /// A row may have a fault for each of its answers.
    private static let maxFaultsOfARow = 10

    private let plan: ImportPlan
    private let host: Account
    private let importer: Importer
    private let isDryRun: Bool
    private let form: PreparedForm

    /// - Parameter isDryRun: Whether to write nothing and only report the outcome. Overlaps of meetings are detected
    ///   only by the database, so a dry run does not report them.
    public init(_ plan: ImportPlan, for host: Account, through importer: Importer, isDryRun: Bool = false) {
        self.plan = plan
        self.host = host
        self.importer = importer
        self.isDryRun = isDryRun
        form = PreparedForm(questions: plan.questions)
    }

    /// Imports the rows. If the map does not fit existing meetings, throws `ImportMismatch` before anything is written,
    /// and likewise `ImportSeriesMismatch` if it does not fit an existing series, and `ImportAccessDenied` if the
    /// importer's host may not edit that series.
    /// After other errors, complete batches may have been written, which the next run detects.
    ///
    /// - Parameter progress: Called with the number of rows processed so far.
    public func run(progress: @Sendable (Int) -> Void = { _ in }) async throws -> ImportReport {
        let meetings = plan.series.flatMap { series in
            series.meetings.filter { !$0.rows.isEmpty }.map { (series, $0) }
        }
        var report = ImportReport(refused: plan.refused)
        report.series = Set(meetings.map(\.0.id)).count
        report.meetings = meetings.count
        let pages = stride(from: 0, to: meetings.count, by: Importer.meetingsPerTransaction).map { start in
            Array(meetings[start..<min(start + Importer.meetingsPerTransaction, meetings.count)])
        }
        for page in pages {
            _ = try await importer.find(page.map { Self.imported($0, $1) }, asking: plan.importedQuestions)
        }
        let existingSeries = try await importer.findSeries(Array(Set(meetings.map(\.0.id))))
        var newSeries: Set<UUID> = []
        try await withThrowingTaskGroup(of: [PreparedMeeting].self) { group in
            var upcoming = pages[...]
            if let first = upcoming.popFirst() { group.addTask { try await prepare(first) } }
            // The meetings of the next page are created while the rows of the current page are written.
            while let page = try await group.next() {
                if let next = upcoming.popFirst() { group.addTask { try await prepare(next) } }
                for case (let series, .success(let target)) in page.map({ ($0.series, $0.target) }) {
                    if target?.isNew ?? true { report.newMeetings += 1 }
                    if !existingSeries.contains(series.id) { newSeries.insert(series.id) }
                }
                try await write(page, &report, progress)
            }
        }
        report.newSeries = newSeries.count
        return report
    }

    /// A meeting of the file, and where its rows are written.
    private struct PreparedMeeting: Sendable {
        var series: ImportPlan.Series
        var meeting: ImportPlan.Meeting
        /// In a dry run, nil for a meeting that does not exist yet.
        var target: Result<ImportTarget?, Problem>
        /// Whether the meeting was imported from another file.
        var isFromOtherFile: Bool
    }

    private struct Batch: Sendable {
        var rows: [ImportedRow] = []
        /// The numbers of the rows in the plan.
        var numbers: [Int] = []
        /// Whether each row's meeting was imported from another file.
        var isFromOtherFile: [Bool] = []
        var outcomes: [ImportOutcome] = []
    }

    /// Creates the meetings that do not exist yet.
    private func prepare(_ page: [(ImportPlan.Series, ImportPlan.Meeting)]) async throws -> [PreparedMeeting] {
        var imported: [ImportedMeeting] = []
        for (series, meeting) in page {
            imported.append(Self.imported(series, meeting, source: try await plan.digest(of: meeting)))
        }
        let targets = try await targets(of: imported)
        let areFromOtherFiles = try await importer.haveOtherSources(imported)
        if !isDryRun {
            let writable = zip(imported, targets).filter { (try? $1.get()) != nil }.map(\.0)
            try await importer.recordSources(of: writable, for: host)
        }
        return page.indices.map { index in
            PreparedMeeting(
                series: page[index].0, meeting: page[index].1, target: targets[index],
                isFromOtherFile: areFromOtherFiles[index])
        }
    }

    /// Writes the rows of a page in batches. While one batch is written, the next is validated.
    private func write(
        _ page: [PreparedMeeting], _ report: inout ImportReport, _ progress: @Sendable (Int) -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Batch.self) { writes in
            func countWritten() async throws {
                guard let written = try await writes.next() else { return }
                count(written, in: &report)
                progress(report.rows)
            }
            var batch = Batch()
            func write() async throws {
                // Only one batch is written at a time.
                try await countWritten()
                writes.addTask { [batch] in try await self.write(batch) }
                batch = Batch()
            }
            for prepared in page {
                switch prepared.target {
                case .failure(let problem):
                    report.refused += prepared.meeting.rows.map { plan.refusal(of: $0, for: problem) }
                case .success(let target):
                    for (index, row) in prepared.meeting.rows.enumerated() {
                        if index % ImportPlan.rowsPerTurn == 0 { try await ImportPlan.yield() }
                        validate(row, to: target, isFromOtherFile: prepared.isFromOtherFile, &batch, &report)
                        if batch.rows.count == Importer.rowsPerCommit { try await write() }
                    }
                }
            }
            if !batch.rows.isEmpty { try await write() }
            try await countWritten()
        }
        progress(report.rows)
    }

    /// The target of each meeting. In a dry run, it is nil for a meeting that does not exist yet.
    private func targets(
        of meetings: [ImportedMeeting]
    ) async throws -> [Result<ImportTarget?, Problem>] {
        guard isDryRun else {
            return try await importer.create(meetings, asking: plan.importedQuestions, for: host).map {
                $0.map(Optional.some)
            }
        }
        let existing = try await importer.find(meetings, asking: plan.importedQuestions)
        return existing.map { $0.map { $0.map(Optional.some) } ?? .success(nil) }
    }

    /// Validates a row as the API does. Adds it to the batch or, if it is invalid, to the report.
    private func validate(
        _ number: Int, to target: ImportTarget?, isFromOtherFile: Bool, _ batch: inout Batch,
        _ report: inout ImportReport
    ) {
        let row = plan.row(number)
        do throws(Problem) {
            let answers = try form.answers(from: row.answers)
            guard let target else { return report.created += 1 }
            batch.rows.append(
                ImportedRow(target: target, key: row.key, answers: answers, submittedAt: row.submittedAt))
            batch.numbers.append(number)
            batch.isFromOtherFile.append(isFromOtherFile)
        } catch {
            report.refused += error.faults.prefix(Self.maxFaultsOfARow).map { plan.refusal(of: number, for: $0) }
        }
    }

    /// Writes the batch, or in a dry run predicts the outcomes. Returns the batch with its outcomes.
    private func write(_ batch: Batch) async throws -> Batch {
        var batch = batch
        batch.outcomes =
            isDryRun
            ? try await importer.predict(batch.rows, of: form) : try await importer.write(batch.rows, of: form)
        return batch
    }

    private func count(_ batch: Batch, in report: inout ImportReport) {
        for (index, (number, outcome)) in zip(batch.numbers, batch.outcomes).enumerated() {
            switch outcome {
            case .created: report.created += 1
            case .alreadyThere:
                report.alreadyThere += 1
                if batch.isFromOtherFile[index] { report.fromAnotherFile += 1 }
            case .refused(let problem): report.refused.append(plan.refusal(of: number, for: problem))
            }
        }
    }

    private static func imported(
        _ series: ImportPlan.Series, _ meeting: ImportPlan.Meeting, source: String = ""
    ) -> ImportedMeeting {
        ImportedMeeting(
            id: meeting.id, seriesID: series.id, series: series.title, round: meeting.round, title: meeting.title,
            startsAt: meeting.startsAt, endsAt: meeting.endsAt, allowsOverlap: meeting.allowsOverlap,
            timeZone: meeting.timeZone,
            source: source, isInExistingSeries: series.isExisting)
    }
}
