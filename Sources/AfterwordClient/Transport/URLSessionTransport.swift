// Written for Apple's platforms; it is neither built nor tested where the service is.
#if canImport(Darwin)
    import Foundation

    /// Requests by URLSession, as apps send them.
    ///
    /// It tells nothing of trailers, so that the digest of an export is not checked; a body that breaks off is an error
    /// all the same.
    public struct URLSessionTransport: Transport {
        private let session: URLSession

        /// A session that keeps nothing: no cookies, no cache, no credentials.
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

        /// Leaves a redirect to the caller, so that no credential goes where it was not meant to.
        private final class Staying: NSObject, URLSessionTaskDelegate {
            func urlSession(
                _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
                newRequest request: URLRequest
            ) async -> URLRequest? { nil }
        }

        private static let unsent: Set<URLError.Code> = [.cannotFindHost, .cannotConnectToHost, .dnsLookupFailed]

        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            guard let url = URL(string: request.url) else { throw URLError(.badURL) }
            var outgoing = URLRequest(url: url)
            outgoing.httpMethod = request.method
            outgoing.httpBody = request.body.map { Data($0) }
            if !request.isLongLived { outgoing.timeoutInterval = request.timeout / .seconds(1) }
            for (name, value) in request.headers { outgoing.setValue(value, forHTTPHeaderField: name) }
            let (bytes, response): (URLSession.AsyncBytes, URLResponse)
            do {
                (bytes, response) = try await session.bytes(for: outgoing, delegate: Staying())
            } catch let error as URLError where Self.unsent.contains(error.code) {
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
