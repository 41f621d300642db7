import Dispatch
import Testing

@testable import Cryptography

@Suite struct Passwords {
    @Test func aPasswordIsKnownAgainByItsHashOnly() throws {
        let hash = try PasswordHash.make("correct horse ü\u{0} battery")
        #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(PasswordHash.verify("correct horse ü\u{0} battery", hash))
        #expect(!PasswordHash.verify("correct horse ü", hash))
        #expect(!PasswordHash.verify("", hash))
        #expect(try PasswordHash.make("correct horse ü\u{0} battery") != hash)
    }

    @Test(arguments: ["", "x", "$argon2id$v=19$m=19456,t=2,p=1$", String(repeating: "$", count: 5000)])
    func whatIsNoHashFitsNoPassword(_ hash: String) {
        #expect(!PasswordHash.verify("", hash))
    }

    @Test func passwordsBeyondOneKibibyteAreRefusedUnhashed() async throws {
        let longest = String(repeating: "x", count: 1024)
        let hash = try PasswordHash.make(longest)
        #expect(PasswordHash.verify(longest, hash))
        #expect(!PasswordHash.verify(longest + "x", hash))
        #expect(throws: PasswordHash.Failure.passwordTooLong) { try PasswordHash.make(longest + "x") }
        let hasher = PasswordHasher()
        await #expect(throws: PasswordHash.Failure.passwordTooLong) { try await hasher.hash(longest + "x") }
        #expect(try await hasher.verify(longest + "x", hash) == false)
    }

    @Test func manyAtOnceAllGetTheirAnswer() async throws {
        let hasher = PasswordHasher()
        let hash = try await hasher.hash("secret")
        try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
            for index in 0..<12 {
                group.addTask { (index, try await hasher.verify(index.isMultiple(of: 3) ? "secret" : "guess", hash)) }
            }
            for try await (index, right) in group { #expect(right == index.isMultiple(of: 3)) }
        }
    }

    @Test func tooManyWaitingAreTurnedAwayAndThoseAcceptedAreServed() async throws {
        let hasher = PasswordHasher(atOnce: 1, waiting: 2)
        let hash = try await hasher.hash("secret")
        // One job holds the only place until it is let go; it blocks a thread of the hasher's, as hashing does.
        let gate = DispatchSemaphore(value: 0)
        let begun = DispatchSemaphore(value: 0)
        let held = Task {
            try await hasher.run {
                begun.signal()
                gate.wait()
                return true
            }
        }
        try await PasswordHasher(atOnce: 1).run { begun.wait() }
        let accepted = (0..<2).map { _ in Task { try await hasher.verify("secret", hash) } }
        while hasher.waiting < 2 { await Task.yield() }
        defer { gate.signal() }
        // Asked without waiting first, so that a bound that does not hold is a failure and no hang.
        try #require(!hasher.enqueue {})
        await #expect(throws: PasswordHasher.Overloaded.self) { try await hasher.verify("secret", hash) }
        gate.signal()
        #expect(try await held.value)
        for task in accepted { #expect(try await task.value) }
        #expect(try await hasher.verify("secret", hash))
    }
}
