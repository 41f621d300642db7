import Foundation
import TestSupport
import Testing

@testable import WebPages

/// The actions that admins can search the audit trail for are those that the store records.
@Suite struct AuditedActions {
    private static let store = Repository.url("Sources/Store")

    @Test func searchableActionsMatchTheRecordedOnes() throws {
        var recorded: Set<String> = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: Self.store.path)
        where name.hasSuffix(".swift") {
            let text = try String(contentsOf: Self.store.appendingPathComponent(name), encoding: .utf8)
            // Calls that record an action, with their arguments, and SQL statements that insert several entries.
            let calls = /(?:Audit\.record|perform)\(\s*[^)]*?(?:by:|of:)|INTO audit[^;]*?FROM unnest/
            for call in text.matches(of: calls) {
                for action in call.0.matches(of: /["']([a-z]+(?:-[a-z]+)*(?:\.[a-z-]+)+)["']/) {
                    recorded.insert(String(action.1))
                }
            }
        }
        #expect(recorded.subtracting(AuditActions.all) == [], "actions that are recorded but not searchable")
        #expect(Set(AuditActions.all).subtracting(recorded) == [], "actions that are searchable but never recorded")
    }
}
