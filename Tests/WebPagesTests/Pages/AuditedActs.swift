import Foundation
import TestSupport
import Testing

@testable import WebPages

/// The acts that admins can look for are those that the store writes down.
@Suite struct AuditedActs {
    private static let store = Repository.url("Sources/Store")

    @Test func areThoseOfTheStore() throws {
        var written: Set<String> = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: Self.store.path)
        where name.hasSuffix(".swift") {
            let text = try String(contentsOf: Self.store.appendingPathComponent(name), encoding: .utf8)
            // The call and what stands within it, and the statements that write several at once.
            for call in text.matches(of: /(?:Audit\.record|act)\(\s*[^)]*?(?:by:|of:)|INTO audit[^;]*?FROM unnest/) {
                for act in call.0.matches(of: /["']([a-z]+(?:-[a-z]+)*(?:\.[a-z-]+)+)["']/) {
                    written.insert(String(act.1))
                }
            }
        }
        #expect(written.subtracting(AuditAct.all) == [], "written down, and cannot be looked for")
        #expect(Set(AuditAct.all).subtracting(written) == [], "can be looked for, and is never written down")
    }
}
