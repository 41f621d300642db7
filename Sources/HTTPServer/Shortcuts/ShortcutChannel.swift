import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// HTTP/1 as the engine serves it, with the shortcuts of an application in front.
struct ShortcutChannel: ServerChildChannel {
    let engine: HTTP1Channel
    let application: any HTTPApplication
    let site: (any PlainResponder)?
    let connections: OpenConnections
    let date = DateHeader()

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        guard connections.countIfAdmitted(channel) else {
            // The engine does not close a connection whose setup fails.
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
        }
        return engine.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let handler = ShortcutHandler(
                application, behind: site, date: date,
                engine: try pipeline.handler(type: ConnectionGuard.self), logger: logger)
            try pipeline.addHandler(handler, position: .first)
            try pipeline.addHandler(UnreadResponses(application, channel), position: .first)
            try channel.syncOptions?.setOption(.writeBufferWaterMark, value: UnreadResponses.waterMark)
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let rules = MessageRules()
            try pipeline.addHandler(rules, position: .after(parser))
            try pipeline.addHandler(LastRequestGate(rules), position: .before(parser))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await engine.handle(value: value, logger: logger)
    }
}
