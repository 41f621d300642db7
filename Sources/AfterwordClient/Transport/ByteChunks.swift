/// A response body as a stream of bytes.
///
/// A body that arrives over the network can be read only once. A second read throws
/// ``AfterwordError/bodyAlreadyRead``. A body in memory can be read repeatedly.
public struct ByteChunks: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let pull: () async throws -> [UInt8]?

        public mutating func next() async throws -> [UInt8]? { try await pull() }
    }

    /// Whether reading has begun.
    private actor Reading {
        private var hasBegun = false

        /// Returns true on the first call.
        func begin() -> Bool {
            defer { hasBegun = true }
            return !hasBegun
        }
    }

    private let makeIterator: @Sendable () -> AsyncIterator

    /// Creates a body that can be read only once.
    ///
    /// - Parameters:
    ///   - base: The sequence to read.
    ///   - bytes: Returns the bytes of one element.
    public init<Base: AsyncSequence & Sendable>(
        _ base: Base, bytes: @escaping @Sendable (Base.Element) -> [UInt8]
    ) {
        let reading = Reading()
        makeIterator = {
            var iterator: Base.AsyncIterator?
            return AsyncIterator {
                if iterator == nil {
                    guard await reading.begin() else { throw AfterwordError.bodyAlreadyRead }
                    iterator = base.makeAsyncIterator()
                }
                return try await iterator?.next().map(bytes)
            }
        }
    }

    /// Creates a body from bytes in memory. It can be read repeatedly.
    public init(_ chunks: [[UInt8]]) {
        makeIterator = {
            var remaining = chunks[...]
            return AsyncIterator { remaining.popFirst() }
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { makeIterator() }

    /// Reads the whole body. Throws if it has more than `limit` bytes.
    func collect(upTo limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in self {
            guard bytes.count + chunk.count <= limit else {
                throw AfterwordError.unexpected(status: nil, "The response has more than \(limit) bytes.")
            }
            bytes += chunk
        }
        return bytes
    }
}
