import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

/// Tests `TestReceiver` itself: connections that arrive while it stops must not crash the process.
@Suite(.timeLimit(.minutes(15))) struct ReceiverStopping {
    private final class Flag: Sendable {
        let isSet = Atomic(true)
    }

    @Test func connectionsDuringAStopAreHarmless() async throws {
        for _ in 0..<12 {
            let connecting = Flag()
            try await withThrowingTaskGroup(of: Void.self) { group in
                try await TestReceiver.run { receiver in
                    let port = receiver.port
                    for _ in 0..<32 {
                        group.addTask {
                            let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                            while connecting.isSet.load(ordering: .relaxed) {
                                guard let channel = try? await bootstrap.connect(host: "127.0.0.1", port: port).get()
                                else { break }
                                try? await channel.close()
                            }
                        }
                    }
                    try await eventually("the receiver has accepted 100 connections") { receiver.connections >= 100 }
                }
                connecting.isSet.store(false, ordering: .relaxed)
                try await group.waitForAll()
            }
        }
    }
}
