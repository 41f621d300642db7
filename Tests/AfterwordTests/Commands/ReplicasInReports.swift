import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// What `doctor` reports of the server of `--replica-url`.
@Suite(.timeLimit(.minutes(5))) struct ReplicasInReports {
    @Test func unusableReplicaIsReported() async throws {
        let primary = try await TestServer.start(commitsSynchronously: true)
        let database = try await primary.database()
        let replica = try await primary.makeReplica()
        let other = try await TestServer.start()
        let foreign = try await other.database()
        let folder = try TemporaryFolder()
        func finding(_ url: String) async throws -> String {
            let arguments = ["--data", folder.path, "--database-url", database.url, "--replica-url", url]
            let outcome = try await Program.run(["doctor", "--json"] + arguments)
            let report = try JSONValue.parse(Array(outcome.output.utf8.dropLast()))
            let found = (report["findings"]?.array ?? []).filter { $0["topic"]?.string == "replica-url" }
            #expect(found.count == 1)
            return found.map { "\($0["level"]?.string ?? ""): \($0["message"]?.string ?? "")" }.joined(separator: "; ")
        }
        let url = replica.url(database: database.name)
        #expect(try await finding(url) == "fine: Expensive reads use it.")
        #expect(
            try await finding(database.url)
                == "wrong: The server of replica-url cannot be used now: it is a primary itself.")
        #expect(
            try await finding(foreign.url) == "wrong: replica-url leads to another database than database-url.")
        #expect(
            try await finding(replica.url(database: "postgres"))
                == "wrong: replica-url leads to another database than database-url.")
        let superuser = Pool(PostgresConfiguration(url: replica.url()), size: 1)
        try await superuser.execute("ALTER SYSTEM SET hot_standby_feedback = off")
        try await superuser.query("SELECT pg_reload_conf()")
        try await eventually("the setting is in force") {
            try await superuser.query("SELECT current_setting('hot_standby_feedback')").single().decode(String.self)
                == "off"
        }
        await superuser.close()
        #expect(try await finding(url).hasPrefix("warning: Long exports may be cancelled"))
        try await replica.stop()
        #expect(try await finding(url).hasPrefix("wrong: replica-url cannot be used: connectionFailed"))
        for server in [other, replica, primary] { await server.remove() }
    }
}
