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

    @Test func draftIsPrivateAndReplacesTheFileOnlyOnRequest() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("secret").path
        func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
        let draft = try SecretDraft.write("first", for: path)
        let name = try #require(try names().first)
        #expect(name.hasPrefix("secret.") && draft.text == "first")
        let mode = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try draft.complete(replacing: false))
        #expect(try !SecretDraft.write("second", for: path).complete(replacing: false))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "first")
        #expect(try SecretDraft.write("third", for: path).complete(replacing: true))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "third")
        #expect(try names() == ["secret"])
        let failure = #expect(throws: SecretDraft.Failure.self) {
            try SecretDraft.write("text", for: path + ".missing/secret")
        }
        #expect(failure?.reason == "No such file or directory")
    }

    /// A program that is killed cannot delete its draft, but loses the lock on it.
    @Test func onlyDraftsOfKilledProgramsAreAbandoned() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("secret").path
        let written = try SecretDraft.write("text", for: path)
        for name in ["secret.\(UUID().uuidString)", "secret.old", "other.\(UUID().uuidString)", "secret"] {
            try Data(name.utf8).write(to: folder.appendingPathComponent(name))
        }
        let abandoned = SecretDraft.abandoned(for: path)
        #expect(abandoned.count == 1 && abandoned[0].text?.hasPrefix("secret.") == true)
        #expect(SecretDraft.abandoned(for: path).isEmpty, "the first call has locked the draft")
        for draft in abandoned { draft.discard() }
        #expect(written.text == "text")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 4)
        #expect(SecretDraft.abandoned(for: folder.path + "/missing/secret").isEmpty)
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
                    Store.Configuration(url: fixture.database.url), keys: other, logger: TestStore.silentLogger)
            }
            #expect(failure.map { "\($0)".contains("Key 1") } == true)
        }
    }

    @Test func missingKeyInUsePreventsTheStart() async throws {
        try await TestStore.run { fixture in
            let second = try #require(KeyRing(keys: [2: RandomBytes.make(32)]))
            await #expect(throws: KeyRing.Failure.self) {
                _ = try await Store.open(
                    Store.Configuration(url: fixture.database.url), keys: second, logger: TestStore.silentLogger)
            }
        }
    }

    @Test func newFormsUseTheNewestKeyAndOldFormsTheirOwn() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let mine = try await fixture.submit(#"{"pace": 4}"#, to: meeting, key: "a-key-of-one-client")
            let both = try #require(KeyRing(keys: [1: fixture.secret, 2: RandomBytes.make(32)]))
            let store = try await Store.open(
                Store.Configuration(url: fixture.database.url), keys: both, logger: TestStore.silentLogger)
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
