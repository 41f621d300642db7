/// An HTTP/1.1 client on libcurl, with one thread and one pool of persistent connections.
public final class HTTPFetcher: Sendable {
    private let loop: CurlLoop

    /// - Parameter maxConnectionsPerHost: Further requests to the same host wait for a connection.
    public init(maxConnectionsPerHost: Int) {
        loop = CurlLoop(maxConnectionsPerHost: maxConnectionsPerHost)
    }

    deinit { loop.stop() }

    /// Returns when the head of the response has arrived.
    ///
    /// - Throws: `FetchError`, or `CancellationError` if the task was cancelled.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        guard request.isValid else {
            throw FetchError(kind: .invalidRequest, isSent: false, description: "A header or the URL has a line break.")
        }
        let transfer = Transfer(request)
        let head = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                transfer.waitForHead(continuation)
                loop.start(transfer)
            }
        } onCancel: {
            loop.cancel(transfer)
        }
        return FetchResponse(
            status: head.status, headers: head.headers, body: FetchBody(transfer, loop),
            trailers: { transfer.trailers })
    }
}
