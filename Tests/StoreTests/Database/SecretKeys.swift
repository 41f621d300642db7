import Cryptography
import Domain
import Foundation
import Postgres
import Store
import TestSupport
import Testing

@Suite struct SecretKeys {
    private static func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("aw-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test func fileIsCreatedOnceAndReadableByItsOwnerOnly() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("secret").path
        let created = try KeyRing.loadOrCreate(path: path)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(try KeyRing.loadOrCreate(path: path).numbers == created.numbers)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["secret"])
    }

    @Test(arguments: [
        "", "# nothing\n", "1 short\n", "x AAAA\n", "0 \(key)\n", "1 \(key)\n1 \(key)\n", "1 \(key) more\n",
    ])
    func invalidKeyFilePreventsTheStart(text: String) throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("secret").path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: KeyRing.Failure.self) { try KeyRing.load(path: path) }
    }

    @Test func databaseWithAnotherKeyPreventsTheStartWithAnExplanation() async throws {
        try await TestStore.run { fixture in
            let other = try #require(KeyRing(keys: [1: RandomBytes.make(32)]))
            let failure = await #expect(throws: KeyRing.Failure.self) {
                _ = try await Store.open(
                    Store.Configuration(url: fixture.database.url), keys: other, logger: TestStore.quiet)
            }
            #expect(failure.map { "\($0)".contains("Key 1") } == true)
        }
    }

    @Test func missingKeyInUsePreventsTheStart() async throws {
        try await TestStore.run { fixture in
            let second = try #require(KeyRing(keys: [2: RandomBytes.make(32)]))
            await #expect(throws: KeyRing.Failure.self) {
                _ = try await Store.open(
                    Store.Configuration(url: fixture.database.url), keys: second, logger: TestStore.quiet)
            }
        }
    }

    @Test func newFormsUseTheNewestKeyAndOldFormsTheirOwn() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let mine = try await fixture.submit(#"{"pace": 4}"#, to: meeting, key: "a-key-of-one-client")
            let both = try #require(KeyRing(keys: [1: fixture.secret, 2: RandomBytes.make(32)]))
            let store = try await Store.open(
                Store.Configuration(url: fixture.database.url), keys: both, logger: TestStore.quiet)
            let again = try await fixture.submit(
                #"{"pace": 4}"#, to: meeting, key: "a-key-of-one-client", through: store)
            #expect(again.receipt == mine.receipt)
            _ = try await store.meetings.create(MeetingDraft(title: "Next"), by: fixture.host, once: nil) { _ in [] }
            let rows = try await store.pool.query("SELECT key_id FROM form_state ORDER BY key_id")
            #expect(try rows.map { row -> Int in try row.decode(Int.self) } == [1, 2])
            await store.close()
        }
    }

    private static let key = Base64URL.encode([UInt8](repeating: 7, count: 32))
}
