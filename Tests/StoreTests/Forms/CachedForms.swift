import Domain
import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite struct CachedForms {
    @Test func formPublishedByAnotherInstanceIsOpenAtOnce() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.meeting(TestStore.questions)
            let early = try await problem { _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting) }
            #expect(early?.code == .formNotOpen)
            let second = try await fixture.secondStore()
            _ = try await second.forms.publish(meetingID: meeting.id, by: fixture.host.account.id)
            _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting)
            await second.close()
        }
    }

    @Test func loadThatBeganBeforeAChangeIsNotCached() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let cache = FormCache(pool: fixture.store.pool, keys: fixture.keys)
            let holder = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await holder.script("BEGIN; LOCK TABLE form_salt IN ACCESS EXCLUSIVE MODE")
            let early = Task { try await cache.facts(code: meeting.form.code).version }
            try await fixture.database.waitUntilBlocked(1)
            cache.forget(meeting.form.code)
            try await holder.script("ROLLBACK")
            await holder.close()
            #expect(try await early.value == 1)
            // The version is changed without notifying the cache, so only a new load can see it.
            try await fixture.store.pool.execute("UPDATE form SET version = 2 WHERE id = \(meeting.form.id)")
            #expect(try await cache.facts(code: meeting.form.code).version == 2)
            try await fixture.store.pool.execute("UPDATE form SET version = 1 WHERE id = \(meeting.form.id)")
        }
    }

    /// Replaces the table of salts, which every load of facts reads, with a view that counts the loads. On Citus they are
    /// not counted, because a view cannot replace a distributed table.
    private func startCountingLoads(of fixture: TestStore) async throws {
        guard !TestCluster.usesCitus else { return }
        let owner = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
        try await owner.script(
            """
            ALTER TABLE form_salt RENAME TO stored_salt;
            CREATE SEQUENCE load;
            CREATE VIEW form_salt AS
                SELECT st.form_id, st.salt FROM stored_salt st JOIN (SELECT nextval('load') AS n) AS l ON l.n > 0;
            GRANT SELECT ON form_salt TO afterword_app;
            GRANT USAGE ON SEQUENCE load TO afterword_app;
            """)
        await owner.close()
    }

    private static let saltTable = TestCluster.usesCitus ? "form_salt" : "stored_salt"

    /// Nil if loads are not counted.
    private func loadCount(_ fixture: TestStore) async throws -> Int? {
        guard !TestCluster.usesCitus else { return nil }
        let owner = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
        let rows = try await owner.query("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM load")
        await owner.close()
        return try #require(rows.first).decode(Int.self)
    }

    private func restoreSaltTable(_ fixture: TestStore) async throws {
        guard !TestCluster.usesCitus else { return }
        let owner = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
        try await owner.script("DROP VIEW form_salt; ALTER TABLE stored_salt RENAME TO form_salt")
        await owner.close()
    }

    /// Blocks every load of facts until the transaction of the returned connection ends.
    private func blockLoads(of fixture: TestStore) async throws -> Connection {
        let holder = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
        try await holder.script("BEGIN; LOCK TABLE \(Self.saltTable) IN ACCESS EXCLUSIVE MODE")
        return holder
    }

    @Test func concurrentRequestsForExpiredFactsShareOneLoad() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            try await startCountingLoads(of: fixture)
            let clock = ManualClock()
            let cache = FormCache(pool: fixture.store.pool, keys: fixture.keys) { clock.now }
            _ = try await cache.facts(code: meeting.form.code)
            _ = try await cache.facts(code: meeting.form.code)
            #expect(try await loadCount(fixture) ?? 1 == 1)
            clock.advance(by: .seconds(2))
            let holder = try await blockLoads(of: fixture)
            let arrivals = Arrivals()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        arrivals.add()
                        return try await cache.facts(code: meeting.form.code).version
                    }
                }
                try await fixture.database.waitUntilBlocked(1)
                try await eventually("all requests have started") { arrivals.count == 64 }
                try await holder.script("ROLLBACK")
                for try await version in group { #expect(version == 1) }
            }
            await holder.close()
            #expect(try await loadCount(fixture) ?? 2 == 2)
            try await restoreSaltTable(fixture)
        }
    }

    @Test func cachedFactsAreUsedWhileTheyAreReloaded() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            try await startCountingLoads(of: fixture)
            let clock = ManualClock()
            let cache = FormCache(pool: fixture.store.pool, keys: fixture.keys) { clock.now }
            _ = try await cache.facts(code: meeting.form.code)
            try await fixture.store.pool.execute("UPDATE form SET version = 2 WHERE id = \(meeting.form.id)")
            clock.advance(by: .milliseconds(1_900))
            let holder = try await blockLoads(of: fixture)
            // Neither call waits for the load, and both share it.
            #expect(cache.cached(code: meeting.form.code)?.version == 1)
            #expect(try await cache.facts(code: meeting.form.code).version == 1)
            try await fixture.database.waitUntilBlocked(1)
            clock.advance(by: .milliseconds(100))
            #expect(cache.cached(code: meeting.form.code) == nil)
            try await holder.script("ROLLBACK")
            await holder.close()
            #expect(try await cache.facts(code: meeting.form.code).version == 2)
            #expect(try await loadCount(fixture) ?? 2 == 2)
            try await fixture.store.pool.execute("UPDATE form SET version = 1 WHERE id = \(meeting.form.id)")
            try await restoreSaltTable(fixture)
        }
    }

    @Test func cancelledRequestDoesNotCancelTheSharedLoad() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            try await startCountingLoads(of: fixture)
            let cache = FormCache(pool: fixture.store.pool, keys: fixture.keys)
            let holder = try await blockLoads(of: fixture)
            let first = Task { try await cache.facts(code: meeting.form.code).version }
            try await fixture.database.waitUntilBlocked(1)
            let arrivals = Arrivals()
            let second = Task {
                arrivals.add()
                return try await cache.facts(code: meeting.form.code).version
            }
            try await eventually("the second request has started") { arrivals.count == 1 }
            first.cancel()
            await #expect(throws: PostgresError.self) { try await first.value }
            try await holder.script("ROLLBACK")
            #expect(try await second.value == 1)
            #expect(try await cache.facts(code: meeting.form.code).version == 1)
            // A load that no request waits for ends too, and its error reaches no request.
            try await holder.script("BEGIN; LOCK TABLE \(Self.saltTable) IN ACCESS EXCLUSIVE MODE")
            cache.forget(meeting.form.code)
            let alone = Task { try await cache.facts(code: meeting.form.code).version }
            try await fixture.database.waitUntilBlocked(1)
            alone.cancel()
            await #expect(throws: PostgresError.self) { try await alone.value }
            try await fixture.database.waitUntil(statementLike: "%form_salt%", waitsFor: nil)
            try await holder.script("ROLLBACK")
            await holder.close()
            #expect(try await cache.facts(code: meeting.form.code).version == 1)
            try await restoreSaltTable(fixture)
        }
    }

    @Test func errorsAreNotCached() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            try await startCountingLoads(of: fixture)
            let cache = FormCache(pool: fixture.store.pool, keys: fixture.keys)
            let owner = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await owner.script("REVOKE SELECT ON form_salt FROM afterword_app")
            await #expect(throws: PostgresError.self) { try await cache.facts(code: meeting.form.code) }
            try await owner.script("GRANT SELECT ON form_salt TO afterword_app")
            await owner.close()
            #expect(try await cache.facts(code: meeting.form.code).version == 1)
            try await restoreSaltTable(fixture)
        }
    }

    /// Without eviction, requests for old versions could fill the memory.
    @Test func versionsAreEvictedByTheirSize() async throws {
        try await TestStore.run { fixture in
            var meetings: [Meeting] = []
            for _ in 0..<5 {
                let options = (0..<50).map { #"{"id": "o\#($0)", "label": "Option \#($0)"}"# }.joined(separator: ",")
                meetings.append(
                    try await fixture.openMeeting(
                        #"[{"key": "large", "kind": "choice", "title": "Large", "options": [\#(options)]}]"#))
            }
            let cache = FormCache(pool: fixture.store.pool, keys: fixture.keys, maxVersionBytes: 50_000)
            for meeting in meetings { #expect(try await cache.version(1, of: meeting.form.id) != nil) }
            let cached = meetings.map { cache.cached(version: 1, of: $0.form.id) != nil }
            #expect(cached.last == true && cached.first == false, "\(cached)")
        }
    }

    @Test func fullCacheEvictsTheLeastRecentlyUsedForm() async throws {
        try await TestStore.run { fixture in
            let hot = try await fixture.openMeeting()
            var others: [Meeting] = []
            for _ in 0..<5 { others.append(try await fixture.openMeeting()) }
            let clock = ManualClock()
            let cache = FormCache(pool: fixture.store.pool, keys: fixture.keys, capacity: 3) { clock.now }
            _ = try await cache.facts(code: hot.form.code)
            _ = try await cache.version(1, of: hot.form.id)
            for other in others {
                _ = try await cache.facts(code: other.form.code)
                _ = try await cache.version(1, of: other.form.id)
                #expect(cache.cached(code: hot.form.code) != nil)
                #expect(cache.cached(version: 1, of: hot.form.id) != nil)
            }
            #expect(others.map { cache.cached(code: $0.form.code) != nil } == [false, false, false, true, true])
            #expect(
                others.map { cache.cached(version: 1, of: $0.form.id) != nil } == [false, false, false, true, true])
        }
    }
}

/// A clock that a test advances.
final class ManualClock: Sendable {
    private let time = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { time.withLock { $0 } }

    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
