import Hummingbird
import Logging
import NIOCore

/// The context of a request: its connection, and the logger.
public struct ConnectionContext: InitializableFromSource {
    public let channel: any Channel
    public let logger: Logger

    public init(source: ApplicationRequestContextSource) {
        channel = source.channel
        logger = source.logger
    }
}
