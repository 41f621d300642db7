import ArgumentParser
import Domain
import Foundation
import Imports
import Store
import StrictJSON

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import answers from a CSV file.",
        discussion: """
            Each row becomes a submission. The map says which columns contain the series, the meeting and the answers. \
            Meetings are created with closed forms. A second run adds nothing, so an interrupted import can simply be \
            repeated. If the map has no "series" or "meeting", all rows belong to one, titled after the file. \
            With {"series": {"id": "…"}} the meetings become rounds of an existing series. \
            Rows that break a rule are left out and reported, and the command exits with 1.

            A map:
              { "series":  { "by": "lecturer", "title": "Lecturer {lecturer}" },
                "meeting": { "by": "term", "order": "descending", "title": "Term {term}" },
                "missing": ["", "NA"],
                "questions": [
                  { "column": "rating", "key": "rating", "kind": "rating",
                    "title": "How was it?", "min": 1, "max": 5 },
                  { "column": "comment", "key": "comment", "kind": "text",
                    "title": "Comment", "guarded": true } ] }

            EXAMPLES
              afterword import ratings.csv --map ratings.map.json \\
                --host-email ann@example.org --dry-run
              afterword import ratings.csv --map ratings.map.json \\
                --host-email ann@example.org --report refused.csv
              xzcat ratings.csv.xz | afterword import - --map ratings.map.json \\
                --host-email ann@example.org --json
            """)

    @Argument(help: "The file; - is the standard input.")
    var file: String

    @Option(help: "A JSON file that describes the columns.")
    var map: String

    @Option(help: "The e-mail address of the account that the meetings will belong to.")
    var hostEmail: String

    @Flag(help: "Write nothing; only print what would happen, except for overlaps of dated meetings.")
    var dryRun = false

    @Option(help: "A CSV file for the refused rows: line, column, code and reason.")
    var report: String?

    @Option(help: "The character between fields (default: a comma).")
    var delimiter: String?

    @Option(help: "The encoding of the file, such as utf-16, windows-1252, gb18030 or euc-kr (default: utf-8).")
    var encoding: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: DataOptions

    func run() async throws {
        let settings = try options.settings()
        let email = try HostAccount.address(hostEmail)
        let source = try ImportSource(file: file, map: map, delimiter: delimiter, encoding: encoding)
        let reportFile = try report.map { try AtomicFile($0) }
        let isDryRun = dryRun
        let report = try await Database.withStore(settings, Log.startCommand(settings)) { store in
            let host = try await HostAccount.find(email, in: store)
            let importer = try source.importer(for: host, in: store)
            let outcome: Result<ImportReport, any Error>
            do {
                let plan = try await source.plan(for: host, in: store)
                let bar = ProgressBar(isDryRun ? "Checking" : "Importing", total: plan.rowCount + plan.refused.count)
                defer { bar.finish() }
                let run = ImportRun(plan, for: host, through: importer, isDryRun: isDryRun)
                outcome = .success(try await run.run { bar.update($0) })
            } catch is ImportAccessDenied {
                outcome = .failure(source.accessFailure(host))
            } catch {
                outcome = .failure(error)
            }
            await importer.close()
            return try outcome.get()
        }
        Terminal.print(json ? Self.json(report, isDryRun: isDryRun).text : Self.text(report, isDryRun: isDryRun))
        try reportFile?.write(report.csv())
        try reportFile?.commit()
        guard report.refused.isEmpty else {
            printRefusedRows(of: report)
            throw ExitStatus.failed
        }
    }

    private static func text(_ report: ImportReport, isDryRun: Bool) -> String {
        let others =
            report.fromAnotherFile > 0
            ? " (\(report.fromAnotherFile.grouped) of them from an earlier import of another file)" : ""
        return
            "\(isDryRun ? "Would import" : "Imported") \(report.created.grouped) of \(report.rows.grouped) rows into "
            + "\(report.meetings.grouped) meetings (\(report.newMeetings.grouped) new) of \(report.series.grouped) series "
            + "(\(report.newSeries.grouped) new); \(report.alreadyThere.grouped) already existed\(others), "
            + "\(report.refusedCount.grouped) refused."
    }

    private static func json(_ report: ImportReport, isDryRun: Bool) -> JSONValue {
        .object([
            .init("dryRun", .bool(isDryRun)), .init("rows", JSONValue(report.rows)),
            .init("created", JSONValue(report.created)), .init("alreadyThere", JSONValue(report.alreadyThere)),
            .init("fromAnotherFile", JSONValue(report.fromAnotherFile)),
            .init("refused", JSONValue(report.refusedCount)), .init("series", JSONValue(report.series)),
            .init("newSeries", JSONValue(report.newSeries)), .init("meetings", JSONValue(report.meetings)),
            .init("newMeetings", JSONValue(report.newMeetings)),
        ])
    }

    /// Prints the first refused rows, unless there is a report that lists all of them.
    private func printRefusedRows(of report: ImportReport) {
        if let name = self.report { return Terminal.printError("The refused rows are listed in \(name).") }
        for row in report.refusedInOrder.prefix(10) {
            let place = row.column.isEmpty ? "line \(row.line)" : "line \(row.line), column \(row.column)"
            Terminal.printError("\(place): \(row.reason)")
        }
        if report.refused.count > 10 {
            Terminal.printError("… and \((report.refused.count - 10).grouped) more; --report FILE lists them all.")
        }
    }
}
