import Domain
import Foundation
import Imports
import Store
import StrictJSON

/// `afterword verify --source`, which compares a file with the data that were imported from it.
struct SourceVerification {
    private let source: ImportSource
    private let email: EmailAddress
    private let json: Bool

    init(_ command: VerifyCommand, _ file: String) throws(Failure) {
        guard let map = command.map, let hostEmail = command.hostEmail else {
            throw .misuse("--source needs --map and --host-email.")
        }
        guard command.meeting == nil, !command.repair else {
            throw .misuse("--source compares only: leave --meeting and --repair out.")
        }
        email = try HostAccount.address(hostEmail)
        source = try ImportSource(file: file, map: map, delimiter: command.delimiter, encoding: command.encoding)
        json = command.json
    }

    func run(_ settings: Settings) async throws {
        let (source, email) = (source, email)
        let report = try await Database.withStore(settings, Log.startCommand(settings)) { store in
            let host = try await HostAccount.find(email, in: store)
            let plan = try await source.plan(for: host, in: store)
            let bar = ProgressBar("Comparing", total: plan.rowCount)
            defer { bar.finish() }
            return try await SourceCheck(plan, in: store).run { bar.update($0) }
        }
        if json { Terminal.print(Self.json(report).text) } else { Self.show(report) }
        if report.differenceCount > 0 { throw ExitStatus.differences }
    }

    private static func show(_ report: SourceCheck.Report) {
        for difference in report.differences { Terminal.print(text(difference)) }
        let omittedCount = report.differenceCount - report.differences.count
        if omittedCount > 0 { Terminal.print("… and \(omittedCount.grouped) more") }
        let count = report.differenceCount
        let differences =
            count == 0 ? "no differences." : "\(count.grouped) \(count == 1 ? "difference" : "differences")."
        let refused =
            report.refused == 0 ? "" : " \(report.refused.grouped) rows break a rule and were left out."
        Terminal.print(
            "Compared \(report.rows.grouped) rows, \(report.series.grouped) series, \(report.meetings.grouped) meetings "
                + "and \(report.questions.grouped) questions with the stored data: \(differences)\(refused)")
    }

    private static func text(_ difference: SourceCheck.Difference) -> String {
        let place = difference.meeting.map { "meeting “\($0)”" } ?? "all rounds"
        let subject =
            switch (difference.question, difference.value) {
            case (let question?, let value?): "\(question) “\(value)” has"
            case (let question?, nil): "answers to \(question):"
            case (nil, _): difference.isMissing ? "is missing," : "submissions:"
            }
        let expected = "\(difference.meeting == nil ? "its rounds" : "the file") \(difference.expected)"
        let numbers =
            difference.isMissing ? "the file has \(difference.expected) rows" : "\(difference.stored), \(expected)"
        return "series “\(difference.series)”, \(place): \(subject) \(numbers)"
    }

    private static func json(_ report: SourceCheck.Report) -> JSONValue {
        let differences = report.differences.map { difference in
            JSONValue.object([
                .init("series", .string(difference.series)), .init("meeting", JSONValue(difference.meeting)),
                .init("question", JSONValue(difference.question)), .init("value", JSONValue(difference.value)),
                .init("missing", .bool(difference.isMissing)), .init("stored", JSONValue(difference.stored)),
                .init("expected", JSONValue(difference.expected)),
            ])
        }
        return .object([
            .init("rows", JSONValue(report.rows)), .init("series", JSONValue(report.series)),
            .init("meetings", JSONValue(report.meetings)), .init("questions", JSONValue(report.questions)),
            .init("refused", JSONValue(report.refused)),
            .init("differenceCount", JSONValue(report.differenceCount)), .init("differences", .array(differences)),
        ])
    }
}
