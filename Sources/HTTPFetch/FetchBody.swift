/// A response's body as a stream with one reader. Dropping it before its end closes the connection.
public struct FetchBody: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let owner: Owner

        /// - Throws: `FetchError` if the body is incomplete, or `CancellationError`.
        public mutating func next() async throws -> [UInt8]? { try await owner.next() }
    }

    /// Cancels the transfer when the last reference to the body is released.
    fileprivate final class Owner: Sendable {
        private let transfer: Transfer
        private let loop: CurlLoop

        init(_ transfer: Transfer, _ loop: CurlLoop) {
            self.transfer = transfer
            self.loop = loop
        }

        deinit {
            if !transfer.isOver { loop.cancel(transfer) }
        }

        func next() async throws -> [UInt8]? {
            let (transfer, loop) = (transfer, loop)
            let chunk = try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { transfer.read($0) }
            } onCancel: {
                loop.cancel(transfer)
            }
            if transfer.takeResume() { loop.resume(transfer) }
            return chunk
        }
    }

    private let owner: Owner

    init(_ transfer: Transfer, _ loop: CurlLoop) {
        owner = Owner(transfer, loop)
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(owner: owner) }
}
