import Domain
import Foundation
import TestSupport
import Testing

@testable import Store

/// The readings of texts of one client leave permits to others.
@Suite(.timeLimit(.minutes(5))) struct SharesOfTextReadings {
    private let address = DatabaseClient.address("192.0.2.1")
    private let otherAddress = DatabaseClient.address("192.0.2.2")

    @Test func readingsOfOneAccountDoNotDelayThoseOfOthers() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            _ = try await fixture.submit(#"{"better": "more breaks"}"#, to: meeting)
            let texts = fixture.store.texts
            func list(for principal: Principal) async throws -> [String] {
                try await DatabaseClient.account(principal.account.id).run {
                    try await texts.list(of: meeting, question: "better", limit: 10).items.map(\.text)
                }
            }
            let lease = try await DatabaseClient.account(fixture.host.account.id).run {
                try await texts.permits.acquire(for: .host)
            }
            let refused = try await problem { _ = try await list(for: fixture.host) }
            #expect(refused?.code == .overloaded && refused?.retryAfter != nil)
            #expect(try await list(for: fixture.admin) == ["more breaks"])
            withExtendedLifetime(lease) {}
        }
    }

    @Test func readingsOfOneAddressOrFormLeaveAPermitToOtherForms() async throws {
        let permits = TextPermits(poolSize: 8)
        let (busy, other) = (UUID(), UUID())
        func acquire(_ formID: UUID, as client: DatabaseClient) async throws -> TextPermits.Lease {
            try await client.run { try await permits.acquire(for: .guest(formID: formID)) }
        }
        let lease = try await acquire(busy, as: address)
        for client in [address, otherAddress] {
            let refused = try await problem { _ = try await acquire(busy, as: client) }
            #expect(refused?.code == .overloaded)
            _ = try await acquire(other, as: client)
        }
        withExtendedLifetime(lease) {}
    }

    @Test func readersUseHalfOfTheConnectionsTogether() async throws {
        let permits = TextPermits(poolSize: 8)
        func acquire(_ reader: TextPermits.Reader, as account: UUID) async throws -> TextPermits.Lease {
            try await DatabaseClient.account(account).run { try await permits.acquire(for: reader) }
        }
        var leases: [TextPermits.Lease] = []
        for _ in 0..<2 {
            leases.append(try await acquire(.host, as: UUID()))
            leases.append(try await acquire(.guest(formID: UUID()), as: UUID()))
        }
        for reader in [TextPermits.Reader.host, .guest(formID: UUID())] {
            let refused = try await problem { _ = try await acquire(reader, as: UUID()) }
            #expect(refused?.code == .overloaded)
        }
        withExtendedLifetime(leases) {}
    }

    @Test func readersOfOneFormTakeTurns() async throws {
        // Of three permits, the readers of one form use two.
        let permits = TextPermits(poolSize: 12)
        let formID = UUID()
        func acquire(as client: DatabaseClient) async throws -> TextPermits.Lease {
            try await client.run { try await permits.acquire(for: .guest(formID: formID)) }
        }
        let lease = try await acquire(as: address)
        let refused = try await problem { _ = try await acquire(as: address) }
        #expect(refused?.code == .overloaded)
        _ = try await acquire(as: otherAddress)
        withExtendedLifetime(lease) {}
    }
}
