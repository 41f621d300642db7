import HTTPTypes
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

extension HTTPField.Name {
    /// The field of a response that has the request's id. The name is a token, so it is never nil.
    public static let requestID = HTTPField.Name("X-Request-Id")!
}
