import Foundation
import Store
import StrictJSON
import TestSupport
import Testing

/// What `doctor` reports of the servers of `--worker-urls`.
@Suite(.timeLimit(.minutes(5))) struct WorkersInReports {
    private static func finding(_ workers: String, of database: String) async throws -> String {
        let folder = try TemporaryFolder()
        let arguments = ["--data", folder.path, "--database-url", database, "--worker-urls", workers]
        let outcome = try await Program.run(["doctor", "--json"] + arguments)
        let report = try JSONValue.parse(Array(outcome.output.utf8.dropLast()))
        let found = (report["findings"]?.array ?? []).filter { $0["topic"]?.string == "worker-urls" }
        return found.map { "\($0["level"]?.string ?? ""): \($0["message"]?.string ?? "")" }.joined(separator: "; ")
    }

    @Test func databaseThatIsNotDistributedIsReported() async throws {
        let database = try await TestCluster.database()
        #expect(
            try await Self.finding(database.url, of: database.url)
                == "wrong: worker-urls needs a database with distributed tables: run `afterword migrate --citus`.")
        try await database.drop()
    }

    @Test(.enabled(if: TestCluster.usesCitus)) func unusableWorkerIsReported() async throws {
        let database = try await TestStore.database()
        let workers = database.workerURLs
        let all = try await Self.finding(workers.joined(separator: " "), of: database.url)
        #expect(all == "fine: Submissions are sent to the worker that has their form.")
        let unreachable = try await Self.finding("\(workers[0]) postgresql://x@127.0.0.1:1/x", of: database.url)
        #expect(unreachable.hasPrefix("wrong: URL 2 of worker-urls cannot be used: connectionFailed"))
        let coordinator = try await Self.finding(database.url, of: database.url)
        #expect(coordinator == "wrong: URL 1 of worker-urls leads to no worker of the cluster of database-url.")
        try await database.drop()
    }
}
