import Domain
import Foundation
import NIOCore
import Store
import Testing

@testable import HTTPAPI

/// The order of reads and viewers, without a database.
@Suite struct LiveOrder {
    private static func viewer(_ authorization: LiveAuthorization = .share("")) -> LiveViewer {
        LiveViewer(id: UUID(), authorization: authorization) {}
    }

    /// The next bytes for the viewer; a comment if nothing is waiting.
    private static func next(_ viewer: LiveViewer) async -> String? {
        viewer.keepAlive(after: .zero)
        guard case .bytes(let bytes) = await viewer.next() else { return nil }
        return String(buffer: bytes)
    }

    @Test func viewersJoiningDuringAReadWaitForTheNext() async {
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

    @Test func quarterOfTheLimitIsReservedForAccounts() {
        let limits = ViewerLimits(8)
        let account = LiveAuthorization.account(tokenID: UUID(), scope: .readResults)
        var others = (0..<8).map { _ in limits.take(for: .share("")) }
        #expect(others.compactMap { $0 }.count == 6 && limits.taken == 6)
        var accounts = (0..<3).map { _ in limits.take(for: account) }
        #expect(accounts.compactMap { $0 }.count == 2 && limits.taken == 8)
        others = []
        #expect(limits.taken == 2)
        accounts += (0..<8).map { _ in limits.take(for: account) }
        #expect(accounts.compactMap { $0 }.count == 8 && limits.take(for: .share("")) == nil)
        accounts = []
        #expect(limits.taken == 0 && limits.take(for: .share("")) != nil)
    }
}
