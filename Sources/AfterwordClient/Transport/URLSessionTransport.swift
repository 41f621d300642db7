// For Apple platforms. Continuous integration runs on Linux and neither builds nor tests this file.
#if canImport(Darwin)
    import Foundation

    /// A transport on URLSession, for apps.
    ///
    /// It does not support trailers, so the digest of an export is not checked. A truncated body still throws.
    public struct URLSessionTransport: Transport {
        private let session: URLSession

        /// Uses an ephemeral session without cookies, cache or stored credentials.
        public init() {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpCookieStorage = nil
            configuration.urlCache = nil
            configuration.httpMaximumConnectionsPerHost = 32
            configuration.timeoutIntervalForRequest = 60
            session = URLSession(configuration: configuration)
        }

        public init(session: URLSession) {
            self.session = session
        }

        /// Does not follow redirects, so that credentials are not sent to another host.
        private final class RedirectBlocker: NSObject, URLSessionTaskDelegate {
            func urlSession(
                _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
                newRequest request: URLRequest
            ) async -> URLRequest? { nil }
        }

        private static let unsentCodes: Set<URLError.Code> = [.cannotFindHost, .cannotConnectToHost, .dnsLookupFailed]

        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            guard let url = URL(string: request.url) else { throw URLError(.badURL) }
            var outgoing = URLRequest(url: url)
            outgoing.httpMethod = request.method
            outgoing.httpBody = request.body.map { Data($0) }
            if !request.isLongLived { outgoing.timeoutInterval = request.timeout / .seconds(1) }
            for (name, value) in request.headers { outgoing.setValue(value, forHTTPHeaderField: name) }
            let (bytes, response): (URLSession.AsyncBytes, URLResponse)
            do {
                (bytes, response) = try await session.bytes(for: outgoing, delegate: RedirectBlocker())
            } catch let error as URLError where Self.unsentCodes.contains(error.code) {
                throw RequestNotSent(error)
            }
            guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            var headers: [String: String] = [:]
            for (name, value) in response.allHeaderFields {
                headers[String(describing: name).lowercased()] = String(describing: value)
            }
            return TransportResponse(
                status: response.statusCode, headers: headers, body: ByteChunks(ByteLines(base: bytes)) { $0 })
        }
    }
#endif
