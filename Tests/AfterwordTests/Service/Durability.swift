import Foundation
import HTTPFetch
import StrictJSON
import Synchronization
import TestSupport
import Testing

@Suite struct Durability {
    /// The acknowledged submissions.
    private final class Ledger: Sendable {
        private let acknowledged = Mutex<[String: (id: String, receipt: String)]>([:])

        var submissions: [String: (id: String, receipt: String)] { acknowledged.withLock { $0 } }

        /// Records the submission that `body` acknowledges, if any. Returns the number of acknowledged submissions so
        /// far; nil if `body` acknowledges none.
        func add(_ key: String, _ body: [UInt8]) -> Int? {
            let json = try? JSONValue.parse(body)
            guard let id = json?["id"]?.string, let receipt = json?["receipt"]?.string else { return nil }
            return acknowledged.withLock { acknowledged in
                acknowledged[key] = (id, receipt)
                return acknowledged.count
            }
        }
    }

    /// Kills the service and the database that it leaves behind.
    private func killAll(_ service: Int32, _ data: String) {
        kill(service, SIGKILL)
        let file = (try? String(contentsOfFile: data + "/postgres/postmaster.pid", encoding: .utf8)) ?? ""
        if let postmaster = file.split(separator: "\n").first.flatMap({ Int32($0) }), postmaster > 1 {
            kill(postmaster, SIGKILL)
        }
    }

    /// The service and its database are killed while many clients submit.
    @Test func acknowledgedSubmissionsSurviveAKill() async throws {
        let folder = try TemporaryFolder()
        let data = folder / "data"
        let first = try await RunningService(["--data", data])
        let (code, meeting) = try await first.openForm(by: first.admin(in: data))
        let ledger = Ledger()
        // Each client has one connection and stops once the service is killed.
        let fetcher = HTTPFetcher(maxConnectionsPerHost: 32)
        let url = "http://127.0.0.1:\(first.port)/v1/forms/\(code)/submissions"
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<32 {
                group.addTask {
                    for turn in 0... {
                        let key = "client-\(number)-turn-\(turn)"
                        let answers = #"{"answers": {"pace": \#(turn % 5 + 1), "better": "text \#(turn)"}}"#
                        var request = FetchRequest(
                            method: "POST", url: url,
                            headers: [("Content-Type", "application/json"), ("Idempotency-Key", key)],
                            body: Array(answers.utf8))
                        request.totalTimeout = .seconds(30)
                        guard let response = try? await fetcher.fetch(request), response.status == 201,
                            let body = try? await response.body.reduce(into: [], +=), let count = ledger.add(key, body)
                        else { return }
                        if count == 500 { killAll(first.pid, data) }
                    }
                }
            }
        }
        #expect(await first.stop(SIGKILL) == 128 + SIGKILL)
        let acknowledged = ledger.submissions
        #expect(acknowledged.count >= 500)

        try await RunningService(["--data", data]).using { second async throws in
            let response = try await second.admin(in: data).get("/v1/meetings/\(meeting)/results")
            let stored = response.json?["submissions"]?.int ?? 0
            // Submissions may be stored without having been acknowledged.
            #expect(stored >= acknowledged.count && stored <= acknowledged.count + 32)
            for (key, submission) in acknowledged {
                let path = "/v1/forms/\(code)/submissions/\(submission.id)"
                let proof = ["Authorization": "Receipt \(submission.receipt)"]
                let response = try await second.client.get(path, headers: proof)
                try #require(response.status == 200, "\(key): \(response.text)")
            }
            let verified = try await Program.run(["verify", "--data", data])
            #expect(verified.status == 0, "\(verified.output)")
        }
    }
}
