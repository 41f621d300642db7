import Domain
import Foundation
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(2))) struct PermitsOfKeys {
    private static func acquire(
        _ permits: KeyedPermits<UUID>, _ key: UUID, _ timeout: Duration = .seconds(60)
    ) async throws -> KeyedPermits<UUID>.Lease {
        try await permits.acquire(for: key, within: timeout, else: "Wait.", retryAfter: 2)
    }

    @Test func keyAtItsLimitWaitsAndOthersDoNot() async throws {
        let permits = KeyedPermits<UUID>(2)
        let (one, two) = (UUID(), UUID())
        var leases = [try await Self.acquire(permits, one), try await Self.acquire(permits, one)]
        let refused = await #expect(throws: Problem.self) {
            try await Self.acquire(permits, one, .milliseconds(30))
        }
        #expect(refused?.code == .overloaded && refused?.retryAfter == 2)
        let other = try await Self.acquire(permits, two)
        let waiting = Task { try await Self.acquire(permits, one) }
        leases.removeLast()
        let third = try await waiting.value
        withExtendedLifetime((leases, other, third)) {}
    }

    @Test func allKeysTogetherAreLimited() async throws {
        let permits = KeyedPermits<UUID>(2, total: 3)
        let (one, two) = (UUID(), UUID())
        var leases = [try await Self.acquire(permits, one), try await Self.acquire(permits, one)]
        let other = try await Self.acquire(permits, two)
        await #expect(throws: Problem.self) { try await Self.acquire(permits, two, .milliseconds(30)) }
        let waiting = Task { try await Self.acquire(permits, two) }
        leases.removeLast()
        let fourth = try await waiting.value
        withExtendedLifetime((other, fourth)) {}
        leases.removeAll()
        #expect(permits.keyCount == 1, "a request that was refused is forgotten")
    }

    @Test func keyWithoutRequestsIsForgotten() async throws {
        let permits = KeyedPermits<UUID>(1)
        do {
            let lease = try await Self.acquire(permits, UUID())
            #expect(permits.keyCount == 1)
            withExtendedLifetime(lease) {}
        }
        #expect(permits.keyCount == 0)
    }
}
