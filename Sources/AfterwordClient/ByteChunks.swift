/// A body as it arrives; to be read once.
public struct ByteChunks: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let pull: () async throws -> [UInt8]?

        public mutating func next() async throws -> [UInt8]? { try await pull() }
    }

    private let start: @Sendable () -> AsyncIterator

    /// A body whose elements hold bytes.
    public init<Base: AsyncSequence & Sendable>(
        _ base: Base, bytes: @escaping @Sendable (Base.Element) -> [UInt8]
    ) {
        start = {
            var iterator = base.makeAsyncIterator()
            return AsyncIterator { try await iterator.next().map(bytes) }
        }
    }

    /// A body that is there already.
    public init(_ chunks: [[UInt8]]) {
        start = {
            var rest = chunks[...]
            return AsyncIterator { rest.popFirst() }
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { start() }

    /// All of it, if it has no more than `limit` bytes.
    func collect(upTo limit: Int) async throws -> [UInt8] {
        var all: [UInt8] = []
        for try await chunk in self {
            guard all.count + chunk.count <= limit else {
                throw AfterwordError.unexpected(status: nil, "The answer has more than \(limit) bytes.")
            }
            all += chunk
        }
        return all
    }
}
