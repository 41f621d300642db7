import Domain
import Postgres
import TestSupport
import Testing

@testable import Store

/// A limit on attempts applies to all instances together.
@Suite(.timeLimit(.minutes(3))) struct SharedAttempts {
    private static let limit = Attempts.Limit("tests", 10, per: 600)

    /// Makes all counted attempts older.
    private static func ageAttempts(seconds: Int, in fixture: TestStore) async throws {
        try await fixture.store.pool.query(
            """
            UPDATE attempt SET expires_at = expires_at - make_interval(secs => \(seconds)),
                times = ARRAY(SELECT t - make_interval(secs => \(seconds)) FROM unnest(times) AS t ORDER BY t)
            """)
    }

    @Test func limitIsExactForTwoInstances() async throws {
        try await TestStore.run { fixture in
            let second = try await fixture.secondStore()
            let (counter, other) = (Self.limit.counter("a"), Self.limit.counter("b"))
            let allowed = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<60 {
                    let attempts = number.isMultiple(of: 2) ? fixture.store.attempts : second.attempts
                    group.addTask { try await attempts.take([counter]).wait == nil }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(allowed == 10)
            for attempts in [fixture.store.attempts, second.attempts] {
                let refused = try await attempts.take([counter])
                #expect((590...600).contains(refused.wait ?? 0) && refused[0].isUsedUp)
            }
            #expect(try await second.attempts.take([other]) == [Attempts.Count(wait: nil, left: 9)])
            await second.close()
        }
    }

    @Test func attemptsOlderThanTheWindowAreForgotten() async throws {
        try await TestStore.run { fixture in
            let (attempts, counter) = (fixture.store.attempts, Self.limit.counter("a"))
            for _ in 0..<5 { _ = try await attempts.take([counter]) }
            try await Self.ageAttempts(seconds: 400, in: fixture)
            for _ in 0..<5 { #expect(try await attempts.take([counter]).wait == nil) }
            // The first five expire in 200 seconds.
            let second = try await fixture.secondStore()
            #expect((190...200).contains(try await second.attempts.take([counter]).wait ?? 0))
            try await Self.ageAttempts(seconds: 201, in: fixture)
            let third = try await fixture.secondStore()
            #expect(try await third.attempts.take([counter]) == [Attempts.Count(wait: nil, left: 4)])
            await second.close()
            await third.close()
        }
    }

    @Test func refusedAttemptCountsUnderNoCounter() async throws {
        try await TestStore.run { fixture in
            let attempts = fixture.store.attempts
            let narrow = Attempts.Limit("narrow", 1, per: 600).counter("a")
            let wide = Self.limit.counter("a")
            #expect(try await attempts.take([wide, narrow]).map(\.left) == [9, 0])
            for _ in 0..<3 {
                let refused = try await attempts.take([wide, narrow])
                #expect(refused.map(\.left) == [9, 0] && refused[0].wait == nil && refused[1].wait != nil)
            }
            #expect(try await attempts.take([wide]).map(\.left) == [8])
        }
    }

    @Test func attemptsAreGivenBackAndCleared() async throws {
        try await TestStore.run { fixture in
            let (attempts, counter) = (fixture.store.attempts, Self.limit.counter("a"))
            for _ in 0..<12 { _ = try await attempts.take([counter]) }
            await attempts.giveBack(counter)
            #expect(try await attempts.take([counter]) == [Attempts.Count(wait: nil, left: 0)])
            #expect(try await attempts.take([counter]).wait != nil)
            await attempts.clear(counter)
            #expect(try await attempts.take([counter]).map(\.left) == [9])
            for _ in 0..<3 { await attempts.giveBack(counter) }
            #expect(try await attempts.take([counter]).map(\.left) == [9])
        }
    }

    @Test func refusalIsRepeatedWithoutTheDatabaseForASecond() async throws {
        try await TestStore.run { fixture in
            let (attempts, counter) = (fixture.store.attempts, Self.limit.counter("a"))
            for _ in 0..<10 { _ = try await attempts.take([counter]) }
            let refused = try await attempts.take([counter])
            try await fixture.store.pool.query("DELETE FROM attempt")
            #expect(try await attempts.take([counter]) == refused)
            try await Task.sleep(for: .milliseconds(1_100))
            #expect(try await attempts.take([counter]).map(\.left) == [9])
        }
    }

    @Test func storedKeysAreHashes() async throws {
        try await TestStore.run { fixture in
            _ = try await fixture.store.attempts.take([Self.limit.counter("mina@example.org")])
            let rows = try await fixture.store.pool.query(
                """
                SELECT length(a.key), a::text LIKE '%mina%',
                    (SELECT relpersistence::text FROM pg_class WHERE oid = 'attempt'::regclass)
                FROM attempt AS a
                """)
            let (length, isReadable, persistence) = try rows.single().decode(Int.self, Bool.self, String.self)
            #expect(length == 16 && !isReadable && persistence == "u")
        }
    }

    /// `take_attempts` deletes surplus rows in one of a thousand calls.
    @Test func oldestAttemptsBeyondTheRowLimitAreDeleted() async throws {
        try await TestStore.run { fixture in
            try await fixture.store.pool.query(
                """
                INSERT INTO attempt (key, times, expires_at)
                SELECT int4send(n), ARRAY[now()], now() + make_interval(secs => n) FROM generate_series(1, 100100) AS n
                """)
            try await fixture.store.pool.withConnection { connection in
                // Sets a seed whose first random number makes the function delete rows.
                try await connection.execute(
                    """
                    DO $$ BEGIN
                        FOR i IN 1 .. 100000 LOOP
                            PERFORM setseed(i / 100000.0);
                            IF random() < 0.001 THEN PERFORM setseed(i / 100000.0); EXIT; END IF;
                        END LOOP;
                    END $$
                    """)
                try await connection.query("SELECT take_attempts(ARRAY['\\\\x00'::bytea], ARRAY[10], ARRAY[1000000])")
            }
            let rows = try await fixture.store.pool.query(
                "SELECT count(*)::integer, bool_or(key = int4send(101)), bool_or(key = int4send(102)) FROM attempt")
            let (count, oldest, next) = try rows.single().decode(Int.self, Bool.self, Bool.self)
            #expect(count == 100_000 && !oldest && next)
        }
    }
}
