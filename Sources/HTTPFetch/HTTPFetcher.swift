/// An HTTP/1.1 client on libcurl: one thread and one pool of connections, which are kept for later requests.
public final class HTTPFetcher: Sendable {
    private let loop: CurlLoop

    /// - Parameter maxConnectionsPerHost: Further requests to the host wait for a connection.
    public init(maxConnectionsPerHost: Int) {
        loop = CurlLoop(maxConnectionsPerHost: maxConnectionsPerHost)
    }

    deinit { loop.stop() }

    /// Returns once the head of the response has arrived.
    /// - Throws: `FetchError`, or `CancellationError` for a cancelled task.
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
