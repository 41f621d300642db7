import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct IdleStatements {
    @Test func idleServiceSendsFewerThanTwoStatementsASecond() async throws {
        let server = try await TestServer.start(logsStatements: true)
        let folder = try TemporaryFolder()
        try await RunningService(["--data", folder / "data", "--database-url", server.url()]).using { _ in
            try await eventually("the clean-up at the start is over") {
                let last = try server.statements().suffix(2)
                return last.count == 2 && last.allSatisfy { $0.contains("SELECT m.count") }
            }
            let (begun, before) = (ContinuousClock.now, try server.statements().count)
            try await Task.sleep(for: .seconds(8))
            let sent = try server.statements().dropFirst(before)
            let perSecond = Double(sent.count) / (begun.duration(to: .now) / .seconds(1))
            #expect(perSecond < 2 && !sent.isEmpty, "\(perSecond): \(sent.prefix(20).joined(separator: "\n"))")
        }
        await server.remove()
    }
}
