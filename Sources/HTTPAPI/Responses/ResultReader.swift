import Contract
import Domain
import Foundation
import NIOCore
import Store

/// Renders results once for each state, and returns the same bytes to all readers.
struct ResultReader: Sendable {
    struct Rendered: Sendable {
        var tag: ETag
        /// The revision of the rendered results. It may be newer than that of the meeting passed in.
        var revision: Int
        var body: KeptBody
    }

    let store: Store
    private let cache = ResultCache<UUID>()

    /// - Parameter meeting: Freshly read, because it carries the results' revision.
    func read(_ meeting: StoredMeeting) async throws -> Rendered {
        let tag = Self.tag(meeting)
        if let known = cache.find(meeting.form.id, tag) {
            return Rendered(tag: tag, revision: meeting.form.resultsRevision, body: known)
        }
        let results = try await store.results.read(meeting.form.id)
        let body = KeptBody(ByteBuffer(bytes: try ContractCoding.encode(Contract.Results(results, of: meeting))))
        // If a submission arrived between the two reads, this body is newer than the tag.
        guard results.revision == meeting.form.resultsRevision else {
            var newer = meeting
            newer.form.resultsRevision = results.revision
            return Rendered(tag: Self.tag(newer), revision: results.revision, body: body)
        }
        cache.insert(meeting.form.id, tag, body)
        return Rendered(tag: tag, revision: results.revision, body: body)
    }

    /// A tag of everything that the rendered results depend on: the results' revision, the form's version and state,
    /// and the meeting's revision and attendance.
    static func tag(_ meeting: StoredMeeting) -> ETag {
        let form = meeting.form
        return ETag(
            "r\(form.resultsRevision)-\(form.version)-\(meeting.revision)-\(meeting.attended)"
                + "-\(form.state(at: meeting.now).rawValue)")
    }
}

/// A cache of rendered results by form, or by form and query. An entry is returned only for the tag that it was
/// rendered for, so the caller reads the current tag from the database first.
final class ResultCache<Key: Hashable & Sendable>: Sendable {
    private let entries: LRUCache<Key, (tag: ETag, body: KeptBody)>

    /// - Parameters:
    ///   - capacity: The maximum number of entries.
    ///   - maxBytes: The maximum size of all entries together; one form of 100 questions may have half a megabyte.
    init(capacity: Int = 1_000, maxBytes: Int = 32 << 20) {
        entries = LRUCache(capacity: capacity, maxBytes: maxBytes)
    }

    func find(_ key: Key, _ tag: ETag) -> KeptBody? {
        guard let entry = entries.find(key), entry.tag == tag else { return nil }
        return entry.body
    }

    func insert(_ key: Key, _ tag: ETag, _ body: KeptBody) {
        entries.insert((tag, body), for: key, bytes: body.byteCount)
    }
}
