import HTTPAPI
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct SignInLockout {
    private static let behindAProxy = ServiceOptions(trustedProxies: 1)

    private static func guess(_ count: Int, _ email: String, from client: String, _ service: TestService) async throws
        -> [Int: Int]
    {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<count {
                group.addTask { try await service.signIn(email, "wrong", from: client).status }
            }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    @Test func tenFailuresLockOutOnlyTheirOwnAddress() async throws {
        try await TestService.run(options: Self.behindAProxy) { service in
            // At most ten of the concurrent requests are evaluated.
            #expect(try await Self.guess(25, "Host@example.org", from: "192.0.2.1", service) == [401: 10, 429: 15])
            let right = try await service.signIn("host@example.org", TestStore.password, from: "192.0.2.1")
            #expect(right.status == 429 && right["Retry-After"] != nil)
            let owner = try await service.signIn("host@example.org", TestStore.password, from: "192.0.2.2")
            #expect(owner.status == 201, "the owner signs in from another address")
            let neighbour = try await service.signIn("other@example.org", TestStore.password, from: "192.0.2.1")
            #expect(neighbour.status == 201, "other accounts on the same address are not locked out")
        }
    }

    @Test func failuresForUnknownAndDisabledAccountsAreCountedToo() async throws {
        try await TestService.run(options: Self.behindAProxy) { service in
            #expect(try await Self.guess(12, "nobody@example.org", from: "192.0.2.1", service) == [401: 10, 429: 2])
            try await service.sql("UPDATE account SET disabled_at = now() WHERE email = 'host@example.org'")
            #expect(try await Self.guess(12, "host@example.org", from: "192.0.2.1", service) == [401: 10, 429: 2])
        }
    }

    @Test func successClearsTheFailures() async throws {
        try await TestService.run(options: Self.behindAProxy) { service in
            for _ in 0..<3 {
                #expect(try await Self.guess(9, "host@example.org", from: "192.0.2.1", service) == [401: 9])
                try await service.signIn("host@example.org", TestStore.password, from: "192.0.2.1").expect(201)
            }
        }
    }

    @Test func clientAddressMayFailAtMostAHundredTimes() async throws {
        try await TestService.run(options: Self.behindAProxy) { service in
            for number in 0..<11 {
                let statuses = try await Self.guess(10, "nobody\(number)@example.org", from: "192.0.2.1", service)
                #expect(statuses == (number < 10 ? [401: 10] : [429: 10]))
            }
            #expect(try await service.signIn("host@example.org", TestStore.password, from: "192.0.2.1").status == 429)
            #expect(try await service.signIn("host@example.org", TestStore.password, from: "192.0.2.2").status == 201)
        }
    }

    /// The people in a hall may sign in from one address.
    @Test func successesAreNotLimited() async throws {
        try await TestService.run(options: Self.behindAProxy) { service in
            for _ in 0..<105 {
                try await service.signIn("host@example.org", TestStore.password, from: "192.0.2.1").expect(201)
            }
        }
    }
}
