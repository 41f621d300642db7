import BlockingWork
import Domain
import Foundation
import Imports
import Store
import StrictJSON

/// The steps of an import that need the file, with the same code as `afterword import`.
struct ImportJob: Sendable {
    /// The largest number of rows that a page imports. The command has no limit.
    static let maxRows = 50_000
    /// The largest number of meetings that a page makes.
    static let maxMeetings = 200
    /// The size in bytes after which the file of refused rows ends.
    private static let maxReportBytes = 8 << 20

    /// A cancelled request stops reading a file after this many bytes.
    private static let chunkSize = 256 << 10

    /// Reading a file of 8 MiB takes a second of processor time and some 100 MB.
    private static let work = BlockingWork(
        "afterword.import", maximumRunning: 1, maximumWaiting: 16, maximumWaitingPerKey: 2)
    /// An account imports one file at a time. It has the permit for all steps of a request.
    static let accounts = KeyedPermits<UUID>(1)
    /// Imports take connections of their own.
    private static let permits = KeyedPermits<UUID>(1, total: 2)

    let principal: Principal
    let store: Store

    /// Runs `body` on the thread of imports. Does not start it if the request is cancelled while it waits.
    private func run<Value: Sendable>(
        _ body: @escaping @Sendable () -> Result<Value, any Error>
    ) async throws -> Value {
        try await run { _ in body() }
    }

    /// - Parameter body: Gets the cancellation of the request, for loops that take long.
    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (WorkCancellation) -> Result<Value, any Error>
    ) async throws -> Value {
        let cancellation = WorkCancellation()
        let result: Result<Value, any Error>
        do {
            result = try await withTaskCancellationHandler {
                try await Self.work.run(for: principal.account.id.uuidString) {
                    cancellation.isCancelled ? .failure(CancellationError()) : body(cancellation)
                }
            } onCancel: {
                cancellation.cancel()
            }
        } catch {
            throw Problem(.overloaded, retryAfter: 2)
        }
        return try result.get()
    }

    /// The file that a form sent back. Nil if the form has none.
    func file(packed: String, name: String) async throws -> PackedFile? {
        try await run { .success(PackedFile(packed: packed, name: name)) }
    }

    func packed(_ file: PackedFile) async throws -> String {
        guard let text = try await run({ .success(file.packed) }) else { throw Problem(.overloaded, retryAfter: 2) }
        return text
    }

    /// Reads the header and the first rows. Throws an `ImportRefusal` for a file without a usable header.
    func sample(_ file: PackedFile, delimiter: UInt8?, encoding: TextEncoding?) async throws -> CSVSample {
        try await run {
            Result { () throws -> CSVSample in
                do throws(ImportFailure) {
                    return try CSVSample(file.bytes, delimiter: delimiter, encoding: encoding)
                } catch {
                    throw ImportRefusal(of: error)
                }
            }
        }
    }

    /// The choices for columns that the file suggests.
    func proposal(
        _ sheet: ImportSheet, _ sample: CSVSample, _ known: KnownQuestions?
    ) async throws -> ImportSheet {
        try await run {
            var sheet = sheet
            sheet.propose(sample, known)
            return .success(sheet)
        }
    }

    /// The map that the choices make, or that was uploaded.
    func map(_ sheet: ImportSheet, _ sample: CSVSample, _ known: KnownQuestions?) async throws -> SentMap {
        try await run {
            .success(SentMap(text: sheet.text(of: sample.header, addingTo: known), isUploaded: sheet.map != nil))
        }
    }

    /// The refused rows as CSV.
    func refusedRows(of report: ImportReport) async throws -> [UInt8] {
        try await run { .success(report.csv(limit: Self.maxReportBytes)) }
    }

    /// Plans the import of the file by a map.
    func plan(_ file: PackedFile, _ sample: CSVSample, _ sent: SentMap) async throws -> ImportPlan {
        guard sample.rowCount + sample.faultCount <= Self.maxRows else { throw ImportRefusal(.tooManyRows) }
        var map: ImportMap = try await run {
            Result { () throws -> ImportMap in
                do throws(Problem) {
                    return try ImportMap.read(Array(sent.text.utf8), file: file.name)
                } catch {
                    throw ImportRefusal(.map(error.faults), in: sent)
                }
            }
        }
        // The command accepts such a map, but on the page it is an oversight.
        guard !map.questions.isEmpty else { throw ImportRefusal(.noQuestions) }
        do {
            try await store.requireTimeZone(map.meeting.timeZone)
        } catch let problem as Problem where !problem.faults.isEmpty {
            throw ImportRefusal(.unknownZone)
        }
        do {
            try await map.findSeries(for: principal, in: store)
        } catch is ImportAccessDenied {
            throw ImportRefusal(.noSeries)
        }
        let hostID = principal.account.id
        let plan: ImportPlan = try await run { [map] cancellation in
            Result { () throws -> ImportPlan in
                do {
                    var planner = ImportPlanner(
                        map: map, hostID: hostID, delimiter: sample.delimiter, encoding: sample.encoding)
                    var rest = file.bytes[...]
                    while !rest.isEmpty {
                        try cancellation.check()
                        try planner.read(rest.prefix(Self.chunkSize))
                        rest = rest.dropFirst(Self.chunkSize)
                    }
                    return try planner.finish()
                } catch let failure as ImportFailure {
                    throw ImportRefusal(of: failure, in: sent)
                }
            }
        }
        guard plan.series.reduce(0, { $0 + $1.meetings.count }) <= Self.maxMeetings else {
            throw ImportRefusal(.tooManyMeetings)
        }
        return plan
    }

    /// Imports the rows of a plan, or says what an import would do.
    func run(
        _ plan: ImportPlan, _ sent: SentMap, isDryRun: Bool
    ) async throws -> ImportReport {
        let lease = try await Self.permits.acquire(
            for: principal.account.id, within: .seconds(10), else: "Other files are being imported; try again later.",
            retryAfter: 5)
        defer { withExtendedLifetime(lease) {} }
        let importer = try store.importer(for: principal)
        let outcome: Result<ImportReport, any Error>
        do {
            outcome = .success(
                try await ImportRun(plan, for: principal.account, through: importer, isDryRun: isDryRun).run())
        } catch let mismatch as ImportMismatch {
            outcome = .failure(ImportRefusal(.meeting(mismatch), in: sent))
        } catch let mismatch as ImportSeriesMismatch {
            outcome = .failure(ImportRefusal(.series(mismatch), in: sent))
        } catch is ImportAccessDenied {
            outcome = .failure(ImportRefusal(plan.series.contains(where: \.isExisting) ? .noSeries : .noAccess))
        } catch let problem as Problem where !problem.faults.isEmpty {
            outcome = .failure(ImportRefusal(.map(problem.faults), in: sent))
        } catch {
            outcome = .failure(error)
        }
        await importer.close()
        return try outcome.get()
    }
}
