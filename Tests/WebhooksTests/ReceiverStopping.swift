import NIOCore
import NIOPosix
import Synchronization
import Testing

/// The tests' own receiver: connections that come while it stops must not end the process.
struct ReceiverStopping {
    private final class Door: Sendable {
        let isOpen = Atomic(true)
    }

    @Test func whoeverConnectsWhileTheReceiverStopsEndsNothing() async throws {
        for _ in 0..<12 {
            let door = Door()
            try await withThrowingTaskGroup(of: Void.self) { group in
                try await TestReceiver.run { receiver in
                    let port = receiver.port
                    for _ in 0..<32 {
                        group.addTask {
                            let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                            while door.isOpen.load(ordering: .relaxed) {
                                guard let channel = try? await bootstrap.connect(host: "127.0.0.1", port: port).get()
                                else { break }
                                try? await channel.close()
                            }
                        }
                    }
                    while receiver.connections < 100 { await Task.yield() }
                }
                door.isOpen.store(false, ordering: .relaxed)
                try await group.waitForAll()
            }
        }
    }
}
