import Hummingbird
import Logging
import NIOCore

/// What the engine knows about a request beyond its bytes: its connection, and where to log.
public struct ConnectionContext: InitializableFromSource {
    public let channel: any Channel
    public let logger: Logger

    public init(source: ApplicationRequestContextSource) {
        channel = source.channel
        logger = source.logger
    }
}
