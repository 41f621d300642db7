import ArgumentParser
import Domain
import Exports
import Foundation
import Store
import StrictJSON

/// The meetings to export.
struct ExportScopeOptions: ParsableArguments, Sendable {
    @Option(help: "One meeting, by its id.")
    var meeting: String?

    @Option(help: "All meetings of a series, by its id, which `afterword series list` shows.")
    var series: String?

    @Flag(help: "All meetings.")
    var all = false

    @Option(help: "Only meetings that start at this date or instant, or later.")
    var from: String?

    @Option(help: "Only meetings that start before this date or instant.")
    var to: String?

    @Option(help: "Only meetings that start in this period.")
    var period: ExportPeriod?

    @Option(help: "The time zone of days, weeks and months (default: UTC).")
    var timeZone = "UTC"

    /// Checks everything that does not require a database.
    func check(for what: ExportSubject) throws(Failure) {
        guard [meeting != nil, series != nil, all].count(where: { $0 }) == 1 else {
            throw .misuse("Choose what to export: --meeting, --series or --all.")
        }
        if what == .table(.submissions), all {
            throw .misuse(
                "Submissions of several series have no common columns: export answers, or choose one --series or --meeting."
            )
        }
        if period != nil, from != nil || to != nil {
            throw .misuse("--period cannot be combined with --from or --to.")
        }
        _ = try extent
        for (name, text) in [("--from", from), ("--to", to)] {
            if let text, RFC3339.parse(text) == nil, !Self.isDay(text) {
                throw .misuse(
                    "\(name) has the invalid value \"\(text)\"; expected a date or an instant, such as 2026-11-21 or "
                        + "2026-11-21T09:30:00Z."
                )
            }
        }
    }

    /// Throws if the meeting, the series or the time zone does not exist.
    func resolved(in store: Store) async throws -> ExportScope {
        let extent = try extent
        guard try await store.exports.exists(extent) else {
            throw Failure("There is no \(meeting != nil ? "meeting" : "series") \(meeting ?? series ?? "").")
        }
        do {
            // Checked even if it is not needed, so that an invalid name is always reported.
            try await store.requireTimeZone(timeZone)
            if let period {
                let span = try await store.span(of: period, timeZone: timeZone)
                return ExportScope(extent, from: span.lowerBound, to: span.upperBound)
            }
            let (from, to) = (try await time(from, in: store), try await time(to, in: store))
            if let from, let to, to <= from { throw Failure.misuse("--to must be later than --from.") }
            return ExportScope(extent, from: from, to: to)
        } catch let problem as Problem where problem.faults.contains(where: { $0.code == "unknown-time-zone" }) {
            throw Failure.misuse(
                "--time-zone has the invalid value \"\(timeZone)\"; expected an IANA name, such as Europe/Berlin.")
        }
    }

    /// Whether only meetings of a period are chosen.
    var hasPeriod: Bool { from != nil || to != nil || period != nil }

    private var extent: ExportScope.Extent {
        get throws(Failure) {
            if let meeting { return .meeting(try Self.id("--meeting", meeting)) }
            if let series { return .series(try Self.id("--series", series)) }
            return .all
        }
    }

    private func time(_ text: String?, in store: Store) async throws -> Date? {
        guard let text else { return nil }
        if let instant = RFC3339.parse(text) { return instant }
        return try await store.start(ofDay: text, timeZone: timeZone)
    }

    static func id(_ name: String, _ text: String) throws(Failure) -> UUID {
        guard let id = UUID(uuidString: text) else {
            throw .misuse("\(name) has the invalid value \"\(text)\"; expected an id.")
        }
        return id
    }

    private static func isDay(_ text: String) -> Bool {
        text.utf8.count == 10 && RFC3339.parse(text + "T00:00:00Z") != nil
    }
}
