import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

/// Tests the receiver of the tests: connections that arrive while it stops must not crash the process.
@Suite(.timeLimit(.minutes(15))) struct ReceiverStopping {
    private final class Door: Sendable {
        let isOpen = Atomic(true)
    }

    @Test func connectionsDuringAStopAreHarmless() async throws {
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
                    try await eventually("100 connections have come") { receiver.connections >= 100 }
                }
                door.isOpen.store(false, ordering: .relaxed)
                try await group.waitForAll()
            }
        }
    }
}
