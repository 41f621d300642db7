import Testing

@testable import Cryptography

@Suite struct Passwords {
    @Test func hashMatchesOnlyItsPassword() throws {
        let hash = try PasswordHash.make("correct horse ü\u{0} battery")
        #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(PasswordHash.verify("correct horse ü\u{0} battery", hash))
        #expect(!PasswordHash.verify("correct horse ü", hash))
        #expect(!PasswordHash.verify("", hash))
        #expect(try PasswordHash.make("correct horse ü\u{0} battery") != hash)
    }

    @Test(arguments: ["", "x", "$argon2id$v=19$m=19456,t=2,p=1$", String(repeating: "$", count: 5000)])
    func malformedHashesMatchNoPassword(_ hash: String) {
        #expect(!PasswordHash.verify("", hash))
    }

    @Test func passwordsOverOneKibibyteAreRefused() async throws {
        let longest = String(repeating: "x", count: 1024)
        let hash = try PasswordHash.make(longest)
        #expect(PasswordHash.verify(longest, hash))
        #expect(!PasswordHash.verify(longest + "x", hash))
        #expect(throws: PasswordHash.Failure.passwordTooLong) { try PasswordHash.make(longest + "x") }
        let hasher = PasswordHasher()
        await #expect(throws: PasswordHash.Failure.passwordTooLong) { try await hasher.hash(longest + "x") }
        #expect(try await hasher.verify(longest + "x", hash) == false)
    }

    @Test func concurrentVerificationsAllComplete() async throws {
        let hasher = PasswordHasher()
        let hash = try await hasher.hash("secret")
        try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
            for index in 0..<12 {
                group.addTask { (index, try await hasher.verify(index.isMultiple(of: 3) ? "secret" : "guess", hash)) }
            }
            for try await (index, isCorrect) in group { #expect(isCorrect == index.isMultiple(of: 3)) }
        }
    }
}
