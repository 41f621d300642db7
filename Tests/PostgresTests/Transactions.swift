import Foundation
import Postgres
import TestSupport
import Testing

@Suite struct Transactions {
    private struct Abort: Error {}

    private func fixture() async throws -> Fixture {
        let fixture = try await Fixture()
        try await fixture.connect().script(
            "CREATE TABLE account (id int PRIMARY KEY, n int NOT NULL); INSERT INTO account VALUES (1, 0), (2, 0)")
        return fixture
    }

    @Test func committedRowsAreStored() async throws {
        let fixture = try await fixture()
        let connection = try await fixture.connect()
        let changed = try await connection.transaction { try await $0.execute("UPDATE account SET n = 5") }
        #expect(changed == 2)
        let rows = try await fixture.connect().query("SELECT sum(n) FROM account")
        #expect(try rows[0].decode(Int.self) == 10)
    }

    @Test func errorRollsBack() async throws {
        let connection = try await fixture().connect()
        await #expect(throws: Abort.self) {
            try await connection.transaction { connection in
                try await connection.execute("UPDATE account SET n = 5")
                throw Abort()
            }
        }
        #expect(try await connection.query("SELECT sum(n) FROM account")[0].decode(Int.self) == 0)
    }

    @Test func swallowedErrorPreventsTheCommit() async throws {
        let connection = try await fixture().connect()
        let error = await refusal {
            try await connection.transaction { connection in
                try await connection.execute("UPDATE account SET n = 5")
                _ = await refusal { try await connection.query("SELECT 1/0") }
            }
        }
        #expect(error?.sqlState == "25P02")
        #expect(try await connection.query("SELECT sum(n) FROM account")[0].decode(Int.self) == 0)
    }

    @Test func nestedTransactionIsRefused() async throws {
        let connection = try await fixture().connect()
        let error = await refusal {
            try await connection.transaction { try await $0.transaction { try await $0.execute("SELECT 1") } }
        }
        #expect(error?.kind == .busy)
        #expect(try await connection.execute("UPDATE account SET n = 1") == 2)
    }

    @Test func requestedIsolationIsUsed() async throws {
        let connection = try await fixture().connect()
        let level = try await connection.transaction(isolation: .serializable) { connection in
            try await connection.query("SELECT current_setting('transaction_isolation')")[0].decode(String.self)
        }
        #expect(level == "serializable")
    }

    @Test func serializationFailuresAreRetried() async throws {
        let pool = try await fixture().pool(size: 2)
        let runs = NumberLog()
        let barrier = Barrier(2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    try await pool.transaction(isolation: .serializable) { connection in
                        let run = runs.append()
                        let rows = try await connection.query("SELECT n FROM account WHERE id = 1")
                        if run <= 2 { await barrier.arrive() }
                        let n = try rows[0].decode(Int.self)
                        try await connection.execute("UPDATE account SET n = \(n + 1) WHERE id = 1")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await pool.query("SELECT n FROM account WHERE id = 1")[0].decode(Int.self) == 2)
        #expect(runs.count == 3)
    }

    @Test func deadlocksAreRetried() async throws {
        let fixture = try await fixture()
        try await fixture.connect().script(
            "ALTER DATABASE \(fixture.database.name) SET deadlock_timeout = '20ms'")
        let pool = fixture.pool(size: 2)
        let runs = NumberLog()
        let barrier = Barrier(2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (first, second) in [(1, 2), (2, 1)] {
                group.addTask {
                    try await pool.transaction { connection in
                        let run = runs.append()
                        try await connection.execute("UPDATE account SET n = n + 1 WHERE id = \(first)")
                        if run <= 2 { await barrier.arrive() }
                        try await connection.execute("UPDATE account SET n = n + 1 WHERE id = \(second)")
                    }
                }
            }
            try await group.waitForAll()
        }
        // Only the first two runs wait for each other. A later run may deadlock once more.
        #expect(runs.count >= 3)
        #expect(try await pool.query("SELECT min(n), max(n) FROM account")[0].decode(Int.self, Int.self) == (2, 2))
    }

    @Test func manyTransactionsThatMeetInADeadlockAllSucceed() async throws {
        let fixture = try await fixture()
        try await fixture.connect().script(
            "ALTER DATABASE \(fixture.database.name) SET deadlock_timeout = '20ms'")
        let count = 20
        let pool = fixture.pool(size: count)
        let runs = NumberLog()
        let barrier = Barrier(count)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    try await pool.transaction { connection in
                        try await connection.query("SELECT n FROM account WHERE id = 1 FOR SHARE")
                        // A pause, so that transactions that are retried at the same time would wait for each other again.
                        if runs.append() <= count {
                            await barrier.arrive()
                        } else {
                            try await connection.query("SELECT pg_sleep(0.05)")
                        }
                        try await connection.execute("UPDATE account SET n = n + 1 WHERE id = 1")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await pool.query("SELECT n FROM account WHERE id = 1")[0].decode(Int.self) == count)
    }

    @Test func statementThatDeadlocksWithATransactionIsRepeated() async throws {
        let fixture = try await fixture()
        // Only the statement's connection looks for deadlocks.
        let connection = try await fixture.connect()
        try await connection.script("SET deadlock_timeout = '1min'")
        try await fixture.connect().script(
            "ALTER DATABASE \(fixture.database.name) SET deadlock_timeout = '20ms'")
        let pool = fixture.pool(size: 1)
        let watching = try await fixture.connect()
        let statement = try await connection.transaction { connection in
            try await connection.execute("UPDATE account SET n = n + 1 WHERE id = 2")
            let statement = Task {
                try await pool.execute(
                    """
                    UPDATE account SET n = n + 1
                    WHERE id IN (SELECT id FROM (SELECT id FROM account ORDER BY id FOR UPDATE) a)
                    """)
            }
            try await eventually {
                try await !watching.query(
                    """
                    SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
                    """
                ).isEmpty
            }
            try await connection.execute("UPDATE account SET n = n + 1 WHERE id = 1")
            return statement
        }
        #expect(try await statement.value == 2)
        #expect(try await pool.query("SELECT min(n), max(n) FROM account")[0].decode(Int.self, Int.self) == (2, 2))
    }

    @Test func transactionsTakeTurnsIfTheirPoolRequiresIt() async throws {
        let fixture = try await fixture()
        let (first, second) = (
            fixture.pool(size: 2, transactionsTakeTurns: true), fixture.pool(size: 2, transactionsTakeTurns: true)
        )
        let runs = NumberLog()
        let waiting = try await first.transaction { _ in
            let waiting = Task { try await second.transaction { _ in _ = runs.append() } }
            try await eventually {
                try await !first.query(
                    """
                    SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()
                    """
                ).isEmpty
            }
            try await second.transaction(inTurn: false) { _ in }
            try await second.transaction(isolation: .repeatableRead) { _ in }
            #expect(runs.count == 0)
            return waiting
        }
        try await waiting.value
        #expect(runs.count == 1)
    }

    @Test func retriesAreLimited() async throws {
        let pool = try await fixture().pool(size: 1)
        let runs = NumberLog()
        let error = await refusal {
            try await pool.transaction { connection in
                runs.append()
                try await connection.script("DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$")
            }
        }
        #expect(error?.sqlState == "40001")
        #expect(runs.count == 5)
    }

    @Test func cancelledTransactionRollsBack() async throws {
        let fixture = try await fixture()
        let pool = fixture.pool(size: 1)
        let task = Task {
            try await pool.transaction { connection in
                try await connection.execute("UPDATE account SET n = 7")
                try await connection.query("SELECT pg_sleep(60)")
            }
        }
        let watching = try await fixture.connect()
        try await eventually {
            try await !watching.query(
                """
                SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()
                """
            ).isEmpty
        }
        task.cancel()
        #expect(await refusal { try await task.value }?.kind == .cancelled)
        #expect(try await pool.query("SELECT sum(n) FROM account")[0].decode(Int.self) == 0)
        #expect(pool.statistics.connections == 1)
    }
}

/// Suspends each task until all tasks have arrived.
private actor Barrier {
    private var remaining: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { remaining = count }

    func arrive() async {
        remaining -= 1
        if remaining > 0 {
            await withCheckedContinuation { waiting.append($0) }
        } else {
            for continuation in waiting { continuation.resume() }
        }
    }
}
