import ArgumentParser
import Domain
import Foundation
import Store
import StrictJSON

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Recount every result from the submissions and compare.",
        discussion: """
            Stored results are updated with each submission. This command recounts them, form by form, also while the \
            service is running. It exits with 3 if any number differs, even if --repair has corrected it.

            With --source, the values in an imported file are counted and compared with the results of its meetings \
            and with the pooled results of its series.

            EXAMPLES
              afterword verify
              afterword verify --meeting 0190f3c2-7b1e-7c4d-9a55-2f6d1c0e8b11 --repair
              afterword verify --json | jq .differences
              afterword verify --source ratings.csv --map ratings.map.json \\
                --host-email ann@example.org
            """)

    @Option(help: "Only this meeting's form.")
    var meeting: String?

    @Flag(help: "Replace stored numbers that differ from the recount.")
    var repair = false

    @Option(help: "Compare with this CSV file, as it was imported; - is the standard input.")
    var source: String?

    @Option(help: "With --source: the JSON file that describes the columns.")
    var map: String?

    @Option(help: "With --source: the e-mail address of the account that the meetings belong to.")
    var hostEmail: String?

    @Option(help: "With --source: the character between fields (default: a comma).")
    var delimiter: String?

    @Option(help: "With --source: the encoding of the file (default: utf-8).")
    var encoding: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: DataOptions

    func run() async throws {
        let settings = try options.settings()
        if let source { return try await SourceVerification(self, source).run(settings) }
        for (name, value) in [
            ("map", map), ("host-email", hostEmail), ("delimiter", delimiter), ("encoding", encoding),
        ] where value != nil {
            throw Failure.misuse("--\(name) is only used with --source.")
        }
        let meetingID = try meeting.map { try ExportScopeOptions.id("--meeting", $0) }
        let repair = repair
        let report = try await Database.withStore(settings, Log.startCommand(settings)) { store in
            let bar = ProgressBar("Recounting", total: 0)
            defer { bar.finish() }
            do {
                return try await store.verification.run(meeting: meetingID, repair: repair) { done, total in
                    bar.update(done, of: total)
                }
            } catch let problem as Problem where problem.code == .notFound {
                throw Failure("There is no meeting \(meetingID?.lowercased ?? "").")
            }
        }
        if json { Terminal.print(Self.json(report)) } else { printSummary(of: report) }
        if report.differenceCount > 0 { throw ExitStatus.differences }
    }

    private func printSummary(of report: Verification.Report) {
        for difference in report.differences {
            let words = [difference.kind.rawValue, difference.question, difference.bucket].compactMap { $0 }
            Terminal.print(
                "meeting \(difference.meetingID.lowercased): \(words.joined(separator: " ")) "
                    + "has \(difference.stored), counted \(difference.counted)")
        }
        let omittedCount = report.differenceCount - report.differences.count
        if omittedCount > 0 { Terminal.print("… and \(omittedCount.grouped) more") }
        let compared =
            "Compared \(report.forms.grouped) forms, \(report.submissions.grouped) submissions and "
            + "\(report.tallies.grouped) tallies"
        switch report.differenceCount {
        case 0: Terminal.print("\(compared): no differences.")
        case let count:
            let differences = "\(count.grouped) \(count == 1 ? "difference" : "differences")"
            Terminal.print("\(compared): \(differences), \(report.repaired.grouped) repaired.")
        }
        if report.differenceCount > 0, !repair {
            Terminal.printError("Repair them with `afterword verify --repair`.")
        }
    }

    private static func json(_ report: Verification.Report) -> JSONValue {
        let differences = report.differences.map { difference in
            JSONValue.object([
                .init("formId", .string(difference.formID.lowercased)),
                .init("meetingId", .string(difference.meetingID.lowercased)),
                .init("what", .string(difference.kind.rawValue)), .init("question", JSONValue(difference.question)),
                .init("bucket", JSONValue(difference.bucket)), .init("stored", JSONValue(difference.stored)),
                .init("counted", JSONValue(difference.counted)),
            ])
        }
        return .object([
            .init("forms", JSONValue(report.forms)), .init("submissions", JSONValue(report.submissions)),
            .init("tallies", JSONValue(report.tallies)), .init("differenceCount", JSONValue(report.differenceCount)),
            .init("repaired", JSONValue(report.repaired)), .init("differences", .array(differences)),
        ])
    }
}
