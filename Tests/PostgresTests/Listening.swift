import Foundation
import Postgres
import Testing

@Suite struct Listening {
    @Test func notificationsArriveInOrder() async throws {
        let fixture = try await Fixture()
        var events = Listener(fixture.configuration, channels: ["form", "Odd \"name\""]).makeAsyncIterator()
        #expect(await events.next() == .refresh)
        let connection = try await fixture.connect()
        try await connection.query("SELECT pg_notify('form', \("é 1"))")
        try await connection.query("SELECT pg_notify('elsewhere', 'x')")
        try await connection.query("SELECT pg_notify(\("Odd \"name\""), '')")
        #expect(await events.next() == .notification(channel: "form", payload: "é 1"))
        #expect(await events.next() == .notification(channel: "Odd \"name\"", payload: ""))
    }

    @Test func slowListenerGetsARefresh() async throws {
        let fixture = try await Fixture()
        var events = Listener(fixture.configuration, channels: ["form"], bufferSize: 10).makeAsyncIterator()
        #expect(await events.next() == .refresh)
        let connection = try await fixture.connect()
        try await connection.pipeline((0..<500).map { "SELECT pg_notify('form', \("\($0)"))" })
        try await connection.query("SELECT pg_notify('form', 'last')")
        var received: [Listener.Event] = []
        try await Task.sleep(for: .milliseconds(200))
        while let event = await events.next() {
            received.append(event)
            if event == .notification(channel: "form", payload: "last") { break }
        }
        #expect(received.count <= 12)
        #expect(received.contains(.refresh))
    }

    @Test func endOfIterationClosesTheConnection() async throws {
        let fixture = try await Fixture()
        let task = Task {
            for await _ in Listener(fixture.configuration, channels: ["form"]) {}
        }
        let watching = try await fixture.connect()
        func listeners() async throws -> Int {
            try await watching.query(
                """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)[0].decode(Int.self)
        }
        try await eventually { try await listeners() == 1 }
        task.cancel()
        await task.value
        try await eventually { try await listeners() == 0 }
    }
}
