import Foundation
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
}
