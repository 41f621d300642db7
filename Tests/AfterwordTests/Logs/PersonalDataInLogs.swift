import Foundation
import TestSupport
import Testing

@testable import afterword

/// At no level does the log contain names, addresses, answers, codes or tokens.
@Suite(.timeLimit(.minutes(10))) struct PersonalDataInLogs {
    @Test(arguments: Log.Format.allCases)
    func mainJobsLeaveNoPersonalDataInTheLog(format: Log.Format) async throws {
        let (database, folder) = (try await TestStore.database(), try TemporaryFolder())
        let service = try await RunningService([
            "--database-url", database.url, "--data", folder / "data", "--sendmail", LoggedJobs.sendmail(in: folder),
            "--sign-up", "on", "--webhooks-to-private", "on", "--trusted-proxies", "1", "--log-level", "trace",
            "--log-format", format.rawValue,
        ])
        let jobs = try await service.using { service async throws in
            var jobs = LoggedJobs(service, database, folder)
            try await jobs.run()
            return jobs
        }
        let lines = service.standardError.lowercased().split(separator: "\n")
        for (name, value) in jobs.personal {
            let line = lines.first { $0.contains(value.lowercased()) }
            #expect(value.count >= 8 && line == nil, "\(name): \(line ?? "")")
        }
        // The log still reports what happened.
        let messages = [
            "Mail sent", "Sending a mail failed", "Webhook delivery failed", "Sign-in failed", "Request answered",
            "A request failed", "A page failed", "a submission could not be stored",
        ]
        for message in messages { #expect(service.standardError.contains(message), "\(message)") }
        #expect(jobs.failedRequests.count == 3)
        for id in jobs.failedRequests {
            #expect(lines.contains { $0.contains(id) && $0.contains(" failed") }, "\(id)")
        }
        if format == .json { _ = try JSONLogs.objects(service.standardError) }
        try await database.drop()
    }
}
