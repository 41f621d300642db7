import NIOCore
import Testing

@testable import HTTPAPI

@Suite struct RenderedResults {
    @Test func leastRecentlyUsedResultsAreEvicted() {
        let cache = ResultCache<Int>(capacity: 10, maxBytes: 90 << 10)
        let (tag, other) = (ETag("a"), ETag("b"))
        let body = KeptBody(ByteBuffer(repeating: 0x20, count: 10_000))
        for key in 1...3 { cache.insert(key, tag, body) }
        #expect((1...3).allSatisfy { cache.find($0, tag) === body } && cache.find(1, other) == nil)
        // Entry 1 was read last.
        for key in 4...5 { cache.insert(key, tag, body) }
        let cached = (1...5).filter { cache.find($0, tag) === body }
        #expect(cached == [1, 3, 4, 5], "the least recently used entry is evicted")
        cache.insert(6, tag, KeptBody(ByteBuffer(repeating: 0x20, count: 70_000)))
        #expect(
            cache.find(6, tag) == nil && cache.find(5, tag) === body, "an entry larger than the cache is not stored")
    }
}
