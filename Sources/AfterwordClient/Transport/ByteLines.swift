/// Groups bytes into chunks that end at a line break or at the maximum length, so that events are parsed without delay.
struct ByteLines<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element == UInt8 {
    typealias Element = [UInt8]

    static var maximumLength: Int { 16 << 10 }

    let base: Base

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator

        mutating func next() async throws -> [UInt8]? {
            var chunk: [UInt8] = []
            while chunk.count < ByteLines.maximumLength, let byte = try await base.next() {
                chunk.append(byte)
                if byte == UInt8(ascii: "\n") { break }
            }
            return chunk.isEmpty ? nil : chunk
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeAsyncIterator()) }
}
