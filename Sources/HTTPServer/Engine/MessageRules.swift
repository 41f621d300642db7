import NIOCore
import NIOHTTP1
import StrictJSON

/// Enforces rules of RFC 9112 that the engine's parser leaves to the server.
///
/// A head needs one valid `Host` and may have no transfer coding but `chunked`. From any other head, a proxy in front
/// could derive another host or another end of the request. A head may also have only a few combining marks in a row,
/// because its values are compared (`StreamSafeText`). Any other head is refused like one that cannot be parsed,
/// after the responses to earlier requests, and the connection is closed. The connection is also closed after the
/// response to a request with HTTP/1.0 or `Connection: close`, and to one that offers to change the protocol: the server
/// never does, but the parser reads no further request. A proxy has to know that, or it sends the next client's there.
///
/// This handler is behind the parser and the encoder. Requests that use the shortcut do not pass through it:
/// `RequestFrame` accepts only heads that follow the rules.
final class MessageRules: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The number of requests, and of responses, that have begun.
    private var requests = 0
    private var responses = 0
    /// The version of the connection's last request, once that has arrived.
    private var lastVersion: HTTPVersion?
    /// Whether the connection's last request has arrived as a whole, or a head was refused.
    private(set) var isEnded = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isEnded else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard Self.isValid(head) else {
                isEnded = true
                context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
                return
            }
            requests += 1
            guard Self.isLast(head) else { return context.fireChannelRead(data) }
            lastVersion = head.version
            context.fireChannelRead(wrapInboundOut(.head(Self.closing(head))))
        case .body:
            context.fireChannelRead(data)
        case .end:
            isEnded = lastVersion != nil
            context.fireChannelRead(data)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.status.code >= 200 else {
            return context.write(data, promise: promise)
        }
        responses += 1
        guard let lastVersion, responses == requests else { return context.write(data, promise: promise) }
        head.headers.replaceOrAdd(name: "connection", value: "close")
        if lastVersion == .http1_0 {
            // For this version, the encoder sends no chunks: the end of the connection is the end of the body.
            head.version = lastVersion
            head.headers.remove(name: "trailer")
        }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    private static func isValid(_ head: HTTPRequestHead) -> Bool {
        guard StreamSafeText.isSafe(head.uri) else { return false }
        var (hosts, codings) = (0, 0)
        for (name, value) in head.headers {
            guard StreamSafeText.isSafe(value) else { return false }
            if name.isEqualIgnoringCase(to: "host") {
                hosts += 1
                guard HostField.isValid(value.trimmingSpaces.utf8) else { return false }
            } else if name.isEqualIgnoringCase(to: "transfer-encoding") {
                codings += 1
                guard value.trimmingSpaces.isEqualIgnoringCase(to: "chunked") else { return false }
            }
        }
        if head.version == .http1_0 { return hosts <= 1 && codings == 0 }
        return hosts == 1 && codings <= 1
    }

    private static func isLast(_ head: HTTPRequestHead) -> Bool {
        if head.version == .http1_0 || !head.isKeepAlive { return true }
        if head.method == .CONNECT || head.headers.contains(name: "upgrade") { return true }
        return head.headers[canonicalForm: "connection"].contains { $0.isEqualIgnoringCase(to: "close") }
    }

    /// The head with the fields by which the engine recognizes the last request of a connection.
    private static func closing(_ head: HTTPRequestHead) -> HTTPRequestHead {
        var head = head
        head.headers.replaceOrAdd(name: "connection", value: "close")
        // RFC 9110, section 10.1.1: HTTP/1.0 has no interim responses.
        if head.version == .http1_0 { head.headers.remove(name: "expect") }
        return head
    }
}

extension StringProtocol {
    /// - Parameter other: In lower case.
    fileprivate func isEqualIgnoringCase(to other: StaticString) -> Bool {
        utf8.count == other.utf8CodeUnitCount
            && other.withUTF8Buffer { other in
                zip(utf8, other).allSatisfy { $0 >= 0x41 && $0 <= 0x5a ? $0 | 0x20 == $1 : $0 == $1 }
            }
    }
}
