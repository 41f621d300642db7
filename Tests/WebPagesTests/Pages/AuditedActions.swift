import Foundation
import TestSupport
import Testing

@testable import WebPages

/// The actions that admins can search for are those that the store records.
@Suite struct AuditedActions {
    private static let store = Repository.url("Sources/Store")

    @Test func matchTheStoresActions() throws {
        var written: Set<String> = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: Self.store.path)
        where name.hasSuffix(".swift") {
            let text = try String(contentsOf: Self.store.appendingPathComponent(name), encoding: .utf8)
            // Calls with their arguments, and statements that insert several entries.
            let calls = /(?:Audit\.record|perform)\(\s*[^)]*?(?:by:|of:)|INTO audit[^;]*?FROM unnest/
            for call in text.matches(of: calls) {
                for action in call.0.matches(of: /["']([a-z]+(?:-[a-z]+)*(?:\.[a-z-]+)+)["']/) {
                    written.insert(String(action.1))
                }
            }
        }
        #expect(written.subtracting(AuditAction.all) == [], "recorded, but not in the search")
        #expect(Set(AuditAction.all).subtracting(written) == [], "in the search, but never recorded")
    }
}
