import Foundation
import Postgres
import TestSupport
import Testing

@Suite struct LosingTheServer {
    @Test func poolReconnectsAfterTheServerIsKilled() async throws {
        let server = try await TestServer.start()
        let pool = Pool(Fixture.quiet(server.url()), size: 2)
        try await pool.query("SELECT 1")
        let sleeping = Task { try await pool.query("SELECT pg_sleep(60)") }
        try await eventually {
            try await !pool.query("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'").isEmpty
        }
        try await server.kill()
        #expect(await refusal { try await sleeping.value }?.isConnectionLost == true)
        #expect(await refusal { try await pool.query("SELECT 1") }?.isConnectionLost == true)
        try await server.restart()
        try await eventually { await refusal { try await pool.query("SELECT 1") } == nil }
        await server.remove()
    }

    @Test func poolHidesAnOrderlyRestart() async throws {
        let server = try await TestServer.start()
        let pool = Pool(Fixture.quiet(server.url()), size: 2)
        try await pool.query("SELECT 1")
        try await server.stop()
        try await server.restart()
        #expect(try await pool.query("SELECT 2")[0].decode(Int.self) == 2)
        await server.remove()
    }

    @Test func streamsAndPipelinesEndWithTheServer() async throws {
        let server = try await TestServer.start()
        let streaming = try await Connection.connect(Fixture.quiet(server.url()))
        let pipelining = try await Connection.connect(Fixture.quiet(server.url()))
        let stream = Task {
            for try await _ in streaming.rows("SELECT n, pg_sleep(0.001) FROM generate_series(1, 1000000) n") {}
        }
        let pipeline = Task {
            try await pipelining.pipeline((0..<1000).map { "SELECT \($0), pg_sleep(60)" })
        }
        try await Task.sleep(for: .milliseconds(300))
        try await server.kill()
        #expect(await refusal { try await stream.value }?.kind == .connectionLost)
        #expect(await refusal { try await pipeline.value }?.kind == .connectionLost)
        #expect(await refusal { try await streaming.query("SELECT 1") }?.isConnectionLost == true)
        await server.remove()
    }

    @Test func listenerReconnectsAndRefreshes() async throws {
        let server = try await TestServer.start()
        let configuration = Fixture.quiet(server.url())
        var events = Listener(configuration, channels: ["news"]).makeAsyncIterator()
        #expect(await events.next() == .refresh)
        try await server.stop()
        try await server.restart()
        #expect(await events.next() == .refresh)
        try await Connection.connect(configuration).query("SELECT pg_notify('news', 'hello')")
        #expect(await events.next() == .notification(channel: "news", payload: "hello"))
        await server.remove()
    }
}
