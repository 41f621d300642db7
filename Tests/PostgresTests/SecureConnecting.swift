import Foundation
import Postgres
import TestSupport
import Testing

@Suite struct SecureConnecting {
    @Test func nameAndCertificateOfTheServerAreVerified() async throws {
        let (relay, other) = (try await TLSRelay(), try await TLSRelay())
        let connection = try await Connection.connect(Fixture.quiet(relay.url()))
        #expect(try await connection.query("SELECT 1").count == 1)
        func refused(_ url: String) async throws -> String {
            let error = try #require(await refusal { try await Connection.connect(Fixture.quiet(url)) })
            #expect(error.kind == .connectionFailed)
            return error.message
        }
        #expect(try await refused(relay.url(host: "db.example.org")).contains("does not match host name"))
        #expect(try await refused(relay.url(root: other.certificate)).contains("certificate verify failed"))
        #expect(try await refused(relay.url(root: "/nowhere.pem")).contains("/nowhere.pem"))
    }

    /// OpenSSL reads complete records, libpq reads parts of them, and `poll` does not report the buffered rest.
    @Test(.timeLimit(.minutes(3))) func bufferedDataIsReadWithoutWaiting() async throws {
        let relay = try await TLSRelay()
        let connection = try await Connection.connect(Fixture.quiet(relay.url()))
        // If the client waits for data that has already arrived, it waits until this task cuts the connection.
        let cut = Task {
            try await Task.sleep(for: .seconds(60))
            relay.stop()
        }
        defer { cut.cancel() }
        for number in stride(from: 1_000, to: 200_000, by: 1_331) {
            let (size, count) = (1_000 + number % 9_000, 1 + number % 47)
            let rows = try await connection.query(
                "SELECT repeat('x', \(size)::int) FROM generate_series(1, \(count)::int)")
            #expect(rows.count == count)
        }
    }

    @Test func allReadsAndWritesWorkOverTLS() async throws {
        let (fixture, relay) = (try await Fixture(), try await TLSRelay())
        let configuration = Fixture.quiet(relay.url(database: fixture.database.name))
        var events = Listener(configuration, channels: ["form"]).makeAsyncIterator()
        #expect(await events.next() == .refresh)
        let connection = try await Connection.connect(configuration)
        try await connection.script("CREATE TABLE item (id int CONSTRAINT item_key PRIMARY KEY, body text)")
        let ids = Array(1...400)
        let bodies = ids.map { String(repeating: "é", count: $0 * 10) }
        #expect(try await connection.execute("INSERT INTO item SELECT * FROM unnest(\(ids), \(bodies))") == 400)
        var streamed: [String] = []
        for try await rows in connection.rows("SELECT body FROM item ORDER BY id") {
            for row in rows { streamed.append(try row.decode(String.self)) }
        }
        #expect(streamed == bodies)
        let results = try await connection.pipeline((1...300).map { "SELECT body FROM item WHERE id = \($0)::int" })
        #expect(try results.map { try $0[0].decode(String.self).count } == (1...300).map { $0 * 10 })
        for number in 0..<100 { try await connection.query("SELECT pg_notify('form', \("\(number)"))") }
        for number in 0..<100 { #expect(await events.next() == .notification(channel: "form", payload: "\(number)")) }
    }
}
