import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Store

/// Other instances are notified of stored submissions: under load only of some batches, but always of the last.
@Suite struct BatchNotifications {
    /// The notifications that a listening instance has received.
    private final class Received: Sendable {
        private let state = Mutex((notificationCount: 0, revision: 0))

        var notificationCount: Int { state.withLock { $0.notificationCount } }
        var revision: Int { state.withLock { $0.revision } }

        func record(_ revision: Int) {
            state.withLock { state in
                state.notificationCount += 1
                state.revision = max(state.revision, revision)
            }
        }
    }

    /// Runs `body` with a writer and a listener that reads the form's revision at each notification.
    private static func run(
        _ body: @Sendable (_ writer: BatchWriter, _ meeting: Meeting, _ received: Received) async throws -> Void
    ) async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let configuration = PostgresConfiguration(url: fixture.database.url)
            let (received, store) = (Received(), fixture.store)
            let before = try await store.results.read(meeting.form.id).revision
            var events = Listener(configuration, channels: [FormChannel.name]).makeAsyncIterator()
            #expect(await events.next() == .refresh)
            let listening = Task { [events] in
                var events = events
                while let event = await events.next() {
                    guard event != .refresh else { continue }
                    received.record(try await store.results.read(meeting.form.id).revision - before)
                }
            }
            try await body(
                try BatchWriter(configuration: configuration, logger: TestStore.silentLogger), meeting, received)
            listening.cancel()
            _ = await listening.result
        }
    }

    private static func becomesTrue(_ condition: () -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(20)
        while !condition() {
            guard .now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return true
    }

    @Test func manyBatchesSendFewNotificationsButAlwaysTheLast() async throws {
        try await Self.run { writer, meeting, received in
            let start = ContinuousClock.now
            for number in 1...100 {
                #expect(GroupCommit.isCreated(await writer.write([Offer.paced(meeting, UInt8(number))])[0]))
            }
            let limit = Int((ContinuousClock.now - start) / BatchWriter.minNotificationInterval) + 2
            #expect(await Self.becomesTrue { received.revision >= 100 })
            // No notification follows in the pause after the last one.
            try await Task.sleep(for: BatchWriter.minNotificationInterval * 2)
            #expect(
                received.notificationCount <= limit,
                "\(received.notificationCount) notifications, at most \(limit) expected")
            await writer.close()
        }
    }

    @Test func pendingNotificationsAreSentBeforeTheWriterCloses() async throws {
        try await Self.run { writer, meeting, received in
            for number in 1...3 { _ = await writer.write([Offer.paced(meeting, UInt8(number))]) }
            await writer.close()
            #expect(await Self.becomesTrue { received.revision >= 3 })
        }
    }

    @Test func firstBatchAndEachImportedBatchNotifyAtOnce() async throws {
        try await Self.run { writer, meeting, received in
            _ = await writer.write([Offer.paced(meeting, 1)])
            #expect(await Self.becomesTrue { received.notificationCount == 1 })
            for number in 2...4 { _ = await writer.write([Offer.paced(meeting, UInt8(number))], imported: true) }
            #expect(await Self.becomesTrue { received.notificationCount == 4 })
            await writer.close()
        }
    }
}
