import Contract
import Domain
import NIOCore
import Store

/// Renders filtered results and cross-tabs once for each revision and query.
struct FilterReader: Sendable {
    /// A rendered body, with its revision.
    struct Body: Sendable {
        var revision: Int
        var bytes: [UInt8]
        /// Whether a later read of the same revision may be more complete.
        var isSampleReduced: Bool
    }

    private struct Rendered: Sendable {
        var tag: ETag
        var body: KeptBody
    }

    let store: Store
    private let rendered = StateCache<String, Rendered>(
        capacity: 500, maxBytes: 16 << 20, readsForAllClients: false)

    init(store: Store) { self.store = store }

    func results(of meeting: StoredMeeting, where given: [String]) async throws -> APIResponse {
        // The order of conditions does not matter.
        let conditions = given.sorted()
        return try await respond(of: meeting, "where", conditions) { [store] in
            let found = try await store.filters.results(of: meeting, where: conditions)
            let bytes = try await store.largeResults.render(found.results, for: .current) {
                try ContractCoding.encode(Contract.FilteredResults(found, of: meeting))
            }
            return Body(
                revision: found.results.revision, bytes: bytes, isSampleReduced: found.isSampleReduced)
        }
    }

    /// Responds with the cached body for this query and revision, or renders it.
    ///
    /// - Parameters:
    ///  - meeting: Freshly read, because it contains the results' revision.
    ///  - kind: The kind of the query, `where` or `crosstab`.
    ///  - arguments: The arguments of the query.
    func respond(
        of meeting: StoredMeeting, _ kind: String, _ arguments: [String],
        _ render: @escaping @Sendable () async throws -> Body
    ) async throws -> APIResponse {
        // The digest is of a JSON array, so that different queries never have the same key.
        let queryTag = try ETag(digestOf: [kind] + arguments)
        let key = "\(meeting.form.id) \(queryTag.opaque)"
        let result = try await rendered.value(of: key, in: ResultsState(meeting)) {
            let body = try await render()
            let kept = KeptBody(ByteBuffer(bytes: body.bytes))
            guard !body.isSampleReduced else {
                let rendered = Rendered(tag: ETag(digestOfBytes: body.bytes), body: kept)
                return .init(value: rendered, state: nil, bytes: kept.byteCount)
            }
            let state = ResultsState(meeting, revision: body.revision)
            let tag = ETag("\(state.tag.opaque)-\(queryTag.opaque)")
            return .init(value: Rendered(tag: tag, body: kept), state: state, bytes: kept.byteCount)
        }
        return .kept(result.body, tag: result.tag)
    }
}
