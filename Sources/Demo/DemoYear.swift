import Domain
import Foundation
import Store

/// Fills an empty database with a plausible year of meetings: past rounds with their answers, one running meeting, an
/// anonymous form, and upcoming meetings.
public struct DemoYear: Sendable {
    /// The numbers of series, meetings and submissions that were created.
    public struct Report: Sendable, Equatable {
        public var series = 0
        public var meetings = 0
        public var submissions = 0
    }

    /// The database already has meetings.
    public struct DatabaseNotEmpty: Error {}

    static let allSeries = [DemoSeries.retro, .lecture, .townHall, .review, .study]

    let store: Store
    let host: Account
    let now: Date
    let seed: UInt64

    /// - Parameters:
    ///   - now: The end of the year.
    ///   - seed: The seed of the answers. The same seed produces the same answers.
    public init(in store: Store, for host: Account, now: Date = Date(), seed: UInt64 = 1) {
        (self.store, self.host, self.seed) = (store, host, seed)
        // Meetings start at whole seconds.
        self.now = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
    }

    /// Writes the year. Throws `DatabaseNotEmpty` before anything is written if the database has meetings.
    ///
    /// - Parameter progress: Called with the number of finished meetings and the total.
    public func make(progress: @Sendable (Int, Int) -> Void = { _, _ in }) async throws -> Report {
        guard try await store.meetings.isEmpty() else { throw DatabaseNotEmpty() }
        let importer = try store.importer
        let outcome: Result<Report, any Error>
        do {
            outcome = .success(try await make(through: importer, progress))
        } catch {
            outcome = .failure(error)
        }
        await importer.close()
        return try outcome.get()
    }

    /// Sets the zone of the host to that of most meetings, so that pages need not name it beside each time.
    private func setTimeZone(by principal: Principal) async throws {
        var edit = ProfileEdit()
        edit.timeZone = .set(DemoSeries.retro.timeZone)
        _ = try await store.profiles.edit(edit, password: nil, by: principal) { _ in }
    }

    private func make(through importer: Importer, _ progress: @Sendable (Int, Int) -> Void) async throws -> Report {
        let session = try await store.tokens.createSession(for: host)
        guard let principal = try await store.tokens.find(session.token) else { throw Problem(.unauthorized) }
        if principal.timeZone == nil { try await setTimeZone(by: principal) }
        var numbers = SeededNumbers(seed: seed)
        var report = Report()
        let total = Self.allSeries.map(\.rounds).reduce(DemoPresent.meetings, +)
        let past = DemoPast(store: store, importer: importer, host: host, principal: principal, now: now)
        var created: [String: [UUID]] = [:]
        for series in Self.allSeries {
            try Task.checkCancellation()
            let rounds = try await past.write(series, &numbers) { progress(report.meetings + $0, total) }
            created[series.title] = rounds.meetings
            report.series += 1
            report.meetings += rounds.meetings.count
            report.submissions += rounds.submissions
        }
        let present = DemoPresent(store: store, principal: principal, now: now)
        report.submissions += try await present.write(after: created, &numbers)
        report.meetings += DemoPresent.meetings
        report.series += DemoPresent.series
        progress(total, total)
        try await store.tokens.revoke(principal.tokenID)
        return report
    }
}
