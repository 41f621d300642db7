import Foundation
import Postgres
import StrictJSON
import TestSupport

extension TestService {
    static let largeRows = 500

    /// A meeting whose texts are far more than what connections hold on their way: 20 MB.
    func largeMeeting() async throws -> TestMeeting {
        let meeting = try await openMeeting(
            #"[{"key": "better", "kind": "text", "title": "What should change?", "maxLength": 10000}]"#)
        let body = JSONValue.object([.init("better", .string(String(repeating: "🎉", count: 10_000)))]).text
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    for _ in 0..<Self.largeRows / 10 { try await meeting.submit(body).expect(201) }
                }
            }
            try await group.waitForAll()
        }
        return meeting
    }

    /// The condition on `pg_stat_activity` of a statement that reads submissions for an export.
    static let exporting: Statement = """
        datname = current_database() AND pid <> pg_backend_pid() AND state = 'active'
            AND query LIKE '%FROM submission s JOIN form_state fs%'
        """
}
