import Domain
import Foundation
import Store

/// A believable year of meetings in a database that has none: past rounds with their answers, one meeting that is on now,
/// an anonymous form, and what is coming.
public struct DemoYear: Sendable {
    /// What was made.
    public struct Report: Sendable, Equatable {
        public var series = 0
        public var meetings = 0
        public var submissions = 0
    }

    /// The database has meetings already.
    public struct NotFresh: Error {}

    static let allSeries = [DemoSeries.retro, .lecture, .townHall, .review, .study]

    let store: Store
    let host: Account
    let now: Date
    let seed: UInt64

    /// - Parameter now: the year is the one before it.
    /// - Parameter seed: the same seed makes the same answers.
    public init(in store: Store, for host: Account, now: Date = Date(), seed: UInt64 = 1) {
        (self.store, self.host, self.seed) = (store, host, seed)
        // Meetings begin at whole seconds.
        self.now = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
    }

    /// Throws `NotFresh` before anything is written.
    ///
    /// - Parameter progress: told how many meetings of how many are done.
    public func make(progress: @Sendable (Int, Int) -> Void = { _, _ in }) async throws -> Report {
        guard try await store.meetings.isEmpty() else { throw NotFresh() }
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

    private func make(through importer: Importer, _ progress: @Sendable (Int, Int) -> Void) async throws -> Report {
        let session = try await store.tokens.createSession(for: host)
        guard let principal = try await store.tokens.find(session.token) else { throw Problem(.unauthorized) }
        var numbers = SeededNumbers(seed: seed)
        var report = Report()
        let total = Self.allSeries.map(\.rounds).reduce(DemoPresent.meetings, +)
        let past = DemoPast(store: store, importer: importer, host: host, principal: principal, now: now)
        var made: [String: [UUID]] = [:]
        for series in Self.allSeries {
            try Task.checkCancellation()
            let rounds = try await past.write(series, &numbers) { progress(report.meetings + $0, total) }
            made[series.title] = rounds.meetings
            report.series += 1
            report.meetings += rounds.meetings.count
            report.submissions += rounds.submissions
        }
        let present = DemoPresent(store: store, principal: principal, now: now)
        report.submissions += try await present.write(after: made, &numbers)
        report.meetings += DemoPresent.meetings
        report.series += DemoPresent.series
        progress(total, total)
        try await store.tokens.revoke(principal.tokenID)
        return report
    }
}
