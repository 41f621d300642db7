import Cryptography
import Domain
import Foundation
import Store
import Synchronization
import TestSupport
import Testing

@testable import afterword

/// What the next start does after the first one was killed between two steps.
@Suite(.timeLimit(.minutes(15))) struct InterruptedFirstStarts {
    /// A database without accounts, and a data folder.
    private struct Installation {
        let folder: TemporaryFolder
        let store: Store

        var fileNames: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
        }

        static func using(_ body: (Installation) async throws -> Void) async throws {
            let database = try await TestStore.database()
            let keys = try #require(KeyRing(keys: [1: RandomBytes.make(32)]))
            let store = try await Store.open(
                Store.Configuration(url: database.url), keys: keys, logger: TestStore.silentLogger)
            do {
                try await body(Installation(folder: try TemporaryFolder(), store: store))
                await store.close()
                try await database.drop()
            } catch {
                await store.close()
                throw error
            }
        }

        /// Runs the step that creates the first admin. Returns whether the account was created or recovered, and the
        /// announced sentences.
        func start() async throws -> (isNew: Bool, sentences: [String]) {
            let sentences = SentenceList()
            let admin = FirstAdmin(folder: folder.path, showsPassword: false) { sentences.append($0) }
            return (try await admin.makeIfNeeded(in: store), sentences.current)
        }

        func createAccount(_ password: String) async throws {
            let email = try #require(EmailAddress(FirstAdmin.address))
            try await store.accounts.create(
                email: email, name: "Admin", role: .admin, passwordHash: PasswordHash.make(password))
        }

        /// Writes the file that a killed start leaves behind, and returns its text.
        @discardableResult
        func leaveDraft(_ password: String) throws -> String {
            let text = "e-mail: \(FirstAdmin.address)\npassword: \(password)\n"
            let path = try folder.write(text, to: "first-admin.\(UUID().uuidString)")
            chmod(path, 0o600)
            return text
        }
    }

    private final class SentenceList: Sendable {
        private let sentences = Mutex<[String]>([])
        var current: [String] { sentences.withLock { $0 } }
        func append(_ sentence: String) { sentences.withLock { $0.append(sentence) } }
    }

    @Test func passwordOfAnAccountThatWasCreatedIsRecovered() async throws {
        try await Installation.using { installation in
            try await installation.createAccount("the right password")
            try installation.leaveDraft("a wrong password")
            let text = try installation.leaveDraft("the right password")
            _ = try installation.folder.write("half", to: "first-admin.\(UUID().uuidString)")
            let (isNew, sentences) = try await installation.start()
            #expect(
                isNew && sentences.count == 1
                    && sentences[0].contains(
                        "the password is in \(installation.folder / "first-admin"). It ends after 7 ")
            )
            #expect(try installation.fileNames == ["first-admin"])
            #expect(installation.folder.read("first-admin") == text)
            let second = try await installation.start()
            #expect(!second.isNew && second.sentences.isEmpty)
        }
    }

    @Test func passwordWithoutAnAccountIsReplaced() async throws {
        try await Installation.using { installation in
            try installation.leaveDraft("a password of nobody")
            _ = try installation.folder.write("kept", to: "first-admin.old")
            let (isNew, sentences) = try await installation.start()
            #expect(isNew && sentences.count == 1)
            #expect(try installation.fileNames == ["first-admin", "first-admin.old"])
            #expect(!installation.folder.read("first-admin").contains("a password of nobody"))
        }
    }

    @Test func outdatedPasswordIsDeleted() async throws {
        try await Installation.using { installation in
            try await installation.createAccount("a changed password")
            try installation.leaveDraft("the first password")
            let (isNew, sentences) = try await installation.start()
            #expect(!isNew && sentences.isEmpty)
            #expect(try installation.fileNames == [])
        }
    }

    @Test func draftOfAnotherInstanceIsKept() async throws {
        try await Installation.using { installation in
            let draft = try SecretDraft.write("of another instance", for: installation.folder / "first-admin")
            _ = try await installation.start()
            #expect(try installation.fileNames.count == 2)
            #expect(draft.text == "of another instance")
        }
    }

    @Test func nextStartDeletesAbandonedDrafts() async throws {
        let folder = try TemporaryFolder()
        let data = folder / "data"
        let first = try await RunningService(["--data", data])
        #expect(await first.stop() == 0)
        for name in ["secret", "first-admin"] {
            try FileManager.default.copyItem(atPath: "\(data)/\(name)", toPath: "\(data)/\(name).\(UUID().uuidString)")
        }
        try FileManager.default.removeItem(atPath: data + "/first-admin")
        try await RunningService(["--data", data]).using { second async throws in
            let names = try FileManager.default.contentsOfDirectory(atPath: data)
            let secrets = names.filter { $0.hasPrefix("secret") || $0.hasPrefix("first-admin") }
            #expect(Set(secrets) == ["secret", "first-admin"])
            _ = try await second.admin(in: data)
        }
    }
}
