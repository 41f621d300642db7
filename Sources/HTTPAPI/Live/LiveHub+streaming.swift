import Domain
import Foundation
import HTTPServer
import HTTPTypes
import HummingbirdCore
import NIOCore
import Store

extension LiveHub {
    /// The size of the kernel's send buffer, in bytes; Linux doubles it for its own bookkeeping.
    private static let sendBuffer: SocketOptionValue = 64 * 1024
    /// How long data may remain unacknowledged before the connection is closed, in milliseconds.
    private static let acknowledgementTimeout: SocketOptionValue = 60_000

    /// Returns an endless response: the current state at once, then newer ones as they occur.
    ///
    /// - Parameter seen: The tag of the state that the request has read. No older state is sent.
    nonisolated func stream(
        _ request: APIRequest, _ topic: LiveTopic, meetingID: UUID? = nil, seen: ETag? = nil,
        authorization: LiveAuthorization
    ) throws -> APIResponse {
        let permit = try permit(for: authorization, from: request.clientAddress)
        let viewer = LiveViewer(request, authorization: authorization)
        let response = APIResponse.stream(as: MediaType.eventStream) { [self] writer in
            defer { withExtendedLifetime(permit) {} }
            Self.setSocketOptions(of: request.channel)
            try await request.underlying.body.consumeWithInboundCloseHandler { _ in
                await join(viewer, topic, meetingID: meetingID, seen: seen)
                do {
                    try await Self.write(viewer, to: &writer)
                } catch {
                    await leave(viewer, topic)
                    throw error
                }
                await leave(viewer, topic)
            } onInboundClosed: {
                viewer.leave()
            }
            return nil
        }
        // Proxies would buffer a stream until it ends; `X-Accel-Buffering: no` makes nginx pass it on.
        // The end of a stream closes its connection.
        return response.with(.cacheControl, "no-store").with(.accelBuffering, "no").with(.connection, "close")
    }

    private nonisolated func permit(
        for authorization: LiveAuthorization, from address: ClientAddress
    ) throws(Problem) -> ViewerLimits.Permit {
        do {
            return try limits.take(for: authorization, from: address)
        } catch {
            let detail =
                switch error {
                case .allTaken: "Too many streams are open; try again later."
                case .tooManyOfAddress: "Too many streams of your network address are open; try again later."
                }
            throw Problem(.overloaded, detail, retryAfter: 5)
        }
    }

    private static func write(_ viewer: LiveViewer, to writer: inout BodyWriter) async throws {
        try await writer.write(EventFrame.opening)
        while true {
            switch await viewer.next() {
            case .bytes(let bytes): try await writer.write(bytes)
            case .end(let bytes):
                if let bytes { try await writer.write(bytes) }
                return
            }
        }
    }

    /// Limits the memory that a client occupies when it stops reading, and the time until the connection of a client
    /// that has vanished is closed.
    private static func setSocketOptions(of channel: any Channel) {
        _ = channel.setOption(.socketOption(.so_sndbuf), value: sendBuffer)
        #if os(Linux)
            let timeout = ChannelOptions.Types.SocketOption(
                level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT))
            _ = channel.setOption(timeout, value: acknowledgementTimeout)
        #endif
    }
}
