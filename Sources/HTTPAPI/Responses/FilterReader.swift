import Contract
import Domain
import NIOCore
import Store

/// Filtered results and cross-tabs, rendered once for each revision and query.
struct FilterReader: Sendable {
    let store: Store
    private let cache = ResultCache<String>(capacity: 500, maxBytes: 16 << 20)

    func results(_ request: APIRequest, of meeting: StoredMeeting, where given: [String]) async throws -> APIResponse {
        // The order of conditions does not matter.
        let conditions = given.sorted()
        return try await respond(to: request, of: meeting, "where", conditions) {
            let found = try await store.filters.results(of: meeting, where: conditions)
            let body = try ContractCoding.encode(Contract.FilteredResults(found, of: meeting))
            return (found.results.revision, body, found.isSampleReduced)
        }
    }

    /// Responds with the cached body for this query and revision, or renders it.
    ///
    /// - Parameters:
    ///  - meeting: Freshly read, because it carries the results' revision.
    ///  - kind: The kind of the query, `where` or `crosstab`.
    ///  - arguments: The arguments of the query.
    ///  - render: Returns the body, its revision, and whether a later reading of the same revision may be more
    ///    complete.
    func respond(
        to request: APIRequest, of meeting: StoredMeeting, _ kind: String, _ arguments: [String],
        _ render: () async throws -> (revision: Int, body: [UInt8], isSampleReduced: Bool)
    ) async throws -> APIResponse {
        // The digest is of a JSON array, so that different queries never have the same key.
        let queryTag = try ETag(digestOf: [kind] + arguments)
        let key = "\(meeting.form.id) \(queryTag.opaque)"
        let tag = Self.tag(meeting, queryTag)
        if let known = cache.find(key, tag) { return .kept(known, tag: tag) }
        let (revision, body, isSampleReduced) = try await render()
        let kept = KeptBody(ByteBuffer(bytes: body))
        guard !isSampleReduced else { return .kept(kept, tag: ETag(digestOfBytes: body)) }
        // A submission may have been committed between the two reads; then this body is newer than the tag.
        guard revision == meeting.form.resultsRevision else {
            var newer = meeting
            newer.form.resultsRevision = revision
            return .kept(kept, tag: Self.tag(newer, queryTag))
        }
        cache.insert(key, tag, kept)
        return .kept(kept, tag: tag)
    }

    private static func tag(_ meeting: StoredMeeting, _ queryTag: ETag) -> ETag {
        ETag("\(ResultReader.tag(meeting).opaque)-\(queryTag.opaque)")
    }
}
