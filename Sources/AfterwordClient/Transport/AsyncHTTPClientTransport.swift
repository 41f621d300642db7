#if canImport(AsyncHTTPClient)
    import AsyncHTTPClient
    import Foundation
    import NIOCore
    import NIOHTTP1
    import NIOPosix

    /// Requests by AsyncHTTPClient, as scripts and servers send them.
    public struct AsyncHTTPClientTransport: Transport {
        /// Long-lived answers have connections of their own, so that no number of them holds up a request.
        private let calls: HTTPClient
        private let streams: HTTPClient

        /// Uses clients that live as long as the process.
        public init() {
            calls = Self.shared
            streams = Self.sharedStreams
        }

        /// Uses a client of the caller, who also shuts it down.
        ///
        /// Each live stream holds one of its connections to a host, of which a client has eight unless it is told
        /// otherwise; and it should not retry establishing connections by itself.
        public init(client: HTTPClient) {
            calls = client
            streams = client
        }

        private static let shared = make(connections: 32)
        private static let sharedStreams = make(connections: 16_384)

        private static func make(connections: Int) -> HTTPClient {
            var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
            configuration.timeout.connect = .seconds(10)
            // A live stream says something every 15 seconds.
            configuration.timeout.read = .seconds(60)
            // Its own pauses between connections grow to a minute, whatever this client's policy says.
            configuration.connectionPool.retryConnectionEstablishment = false
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
            return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        }

        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            var outgoing = HTTPClientRequest(url: request.url)
            outgoing.method = .init(rawValue: request.method)
            for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
            if let body = request.body { outgoing.body = .bytes(body) }
            let milliseconds = Int64(request.timeout / .milliseconds(1))
            let response: HTTPClientResponse
            do {
                response = try await (request.isLongLived ? streams : calls)
                    .execute(outgoing, timeout: .milliseconds(milliseconds))
            } catch let error as NIOConnectionError {
                throw RequestNotSent(error)
            } catch let error as IOError where error.errnoCode == ECONNREFUSED {
                throw RequestNotSent(error)
            } catch let error as HTTPClientError where error == .connectTimeout {
                throw RequestNotSent(error)
            }
            let fields = response.headers.map { ($0.name.lowercased(), $0.value) }
            return TransportResponse(
                status: Int(response.status.code), headers: Dictionary(fields) { "\($0), \($1)" },
                body: ByteChunks(response.body) { [UInt8]($0.readableBytesView) },
                trailers: {
                    let fields = (response.body.trailers ?? [:]).map { ($0.name.lowercased(), $0.value) }
                    return Dictionary(fields) { "\($0), \($1)" }
                })
        }
    }
#endif
