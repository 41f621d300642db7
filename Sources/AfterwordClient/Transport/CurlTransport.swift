#if os(Linux)
    import HTTPFetch

    /// A transport on libcurl, for scripts and servers.
    public struct CurlTransport: Transport {
        /// Live streams use a separate pool, so that they never block requests.
        private static let calls = HTTPFetcher(maxConnectionsPerHost: 32)
        private static let streams = HTTPFetcher(maxConnectionsPerHost: 16_384)

        /// All instances share their connections.
        public init() {}

        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            var outgoing = FetchRequest(
                method: request.method, url: request.url, headers: request.headers.map { ($0.key, $0.value) },
                body: request.body)
            outgoing.headTimeout = request.timeout
            // On a live stream, the service sends at least a comment every 15 seconds.
            outgoing.idleTimeout = .seconds(60)
            let response: FetchResponse
            do {
                response = try await (request.isLongLived ? Self.streams : Self.calls).fetch(outgoing)
            } catch let error as FetchError where !error.isSent {
                throw RequestNotSent(error)
            }
            return TransportResponse(
                status: response.status, headers: Self.dictionary(response.headers),
                body: ByteChunks(response.body) { $0 }, trailers: { Self.dictionary(response.trailers()) })
        }

        private static func dictionary(_ fields: [(name: String, value: String)]) -> [String: String] {
            Dictionary(fields.map { ($0.name.lowercased(), $0.value) }) { "\($0), \($1)" }
        }
    }
#endif
