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
    // The names are tokens, so they are never nil.
    public static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
    /// The response field that contains the request's id.
    public static let requestID = HTTPField.Name("X-Request-Id")!
}
