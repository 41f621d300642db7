import Domain
import Foundation
import HTTPServer
import NIOCore
import Store
import Testing

@testable import HTTPAPI

/// Which read each viewer gets, and how many viewers are admitted. These tests need no database.
@Suite struct LiveOrder {
    private static func viewer(_ authorization: LiveAuthorization = .share("")) -> LiveViewer {
        LiveViewer(id: UUID(), authorization: authorization) {}
    }

    /// The next bytes for the viewer, or a comment if nothing is waiting.
    private static func next(_ viewer: LiveViewer) async -> String? {
        viewer.keepAlive(after: .zero)
        guard case .bytes(let bytes) = await viewer.next() else { return nil }
        return String(buffer: bytes)
    }

    @Test func viewersJoiningDuringAReadWaitForTheNextRead() async {
        let watch = LiveWatch(.results(formID: UUID()), meetingID: nil)
        let (early, late, later) = (Self.viewer(), Self.viewer(), Self.viewer())
        watch.join(early, seen: ETag("r1"), spacing: .zero)
        watch.begin(spacing: .zero)
        watch.join(late, seen: ETag("r2"), spacing: .zero)
        watch.publish(ByteBuffer(string: "1"), tag: ETag("r1"))
        #expect(await Self.next(early) == "1")
        #expect(await Self.next(late) == ":\n\n")
        #expect(watch.isDirty)
        watch.begin(spacing: .zero)
        watch.join(later, seen: ETag("r3"), spacing: .zero)
        // A repeated read whose result has not changed.
        watch.repeatLast()
        #expect(await Self.next(late) == "1")
        #expect(await Self.next(later) == ":\n\n")
        watch.begin(spacing: .zero)
        watch.fail(pause: .zero)
        watch.begin(spacing: .zero)
        watch.publish(ByteBuffer(string: "1"), tag: ETag("r3"))
        #expect(await Self.next(later) == "1")
        #expect(await Self.next(early) == ":\n\n")
    }

    @Test func viewsOfTheStageReachAccountsAndReplaceNoState() async {
        let watch = LiveWatch(.results(formID: UUID()), meetingID: nil)
        let (host, holder) = (Self.viewer(Self.account), Self.viewer())
        for viewer in [host, holder] { watch.join(viewer, seen: nil, spacing: .zero) }
        watch.begin(spacing: .zero)
        watch.publish(ByteBuffer(string: "state"))
        for view in ["older", "newer"] { watch.announce(ByteBuffer(string: view)) }
        #expect(await Self.next(host) == "newer")
        #expect(await Self.next(host) == "state")
        #expect(await Self.next(holder) == "state")
        for viewer in [host, holder] { #expect(await Self.next(viewer) == ":\n\n") }
    }

    @Test func laterAccountsBeginWithTheLastViewOfTheStage() async {
        let watch = LiveWatch(.results(formID: UUID()), meetingID: nil)
        let early = Self.viewer(Self.account)
        watch.join(early, seen: nil, spacing: .zero)
        watch.announce(ByteBuffer(string: "now"), later: ByteBuffer(string: "before"))
        let (late, holder) = (Self.viewer(Self.account), Self.viewer())
        for viewer in [late, holder] { watch.join(viewer, seen: nil, spacing: .zero) }
        #expect(await Self.next(early) == "now")
        #expect(await Self.next(late) == "before")
        for viewer in [early, late, holder] { #expect(await Self.next(viewer) == ":\n\n") }
    }

    @Test func quarterOfTheLimitIsReservedForAccounts() throws {
        let limits = ViewerLimits(8)
        let address = try #require(ClientAddress("192.0.2.1"))
        func take(_ authorization: LiveAuthorization) -> ViewerLimits.Permit? {
            try? limits.take(for: authorization, from: address)
        }
        var others = (0..<8).map { _ in take(.share("")) }
        #expect(others.compactMap { $0 }.count == 6 && limits.taken == 6)
        var accounts = (0..<3).map { _ in take(Self.account) }
        #expect(accounts.compactMap { $0 }.count == 2 && limits.taken == 8)
        others = []
        #expect(limits.taken == 2)
        accounts += (0..<8).map { _ in take(Self.account) }
        #expect(accounts.compactMap { $0 }.count == 8 && take(.share("")) == nil)
        accounts = []
        #expect(limits.taken == 0 && take(.share("")) != nil)
    }

    @Test func oneAddressCannotTakeAllPermits() throws {
        let limits = ViewerLimits(100, perAddress: 8)
        let (hall, other) = (try #require(ClientAddress("192.0.2.1")), try #require(ClientAddress("192.0.2.2")))
        var permits = try (0..<8).map { _ in try limits.take(for: .share(""), from: hall) }
        #expect(throws: ViewerLimits.Refusal.tooManyOfAddress) { try limits.take(for: .share(""), from: hall) }
        permits.append(try limits.take(for: .share(""), from: other))
        // An additional quarter of the address's limit is for accounts, such as the host's in the same hall.
        permits += try (0..<2).map { _ in try limits.take(for: Self.account, from: hall) }
        #expect(throws: ViewerLimits.Refusal.tooManyOfAddress) { try limits.take(for: Self.account, from: hall) }
        #expect(limits.taken == 11)
        permits = []
        #expect(limits.taken == 0)
        permits = try (0..<8).map { _ in try limits.take(for: .share(""), from: hall) }
        #expect(permits.count == 8)
    }

    private static let account = LiveAuthorization.account(tokenID: UUID(), scope: .readResults)
}
