import Domain
import Foundation
import NIOCore
import Store
import StrictJSON

/// Results rendered once for each state of them, the same bytes for everybody who may see them.
struct ResultReader: Sendable {
    struct Rendered: Sendable {
        var tag: ETag
        /// Of the bytes: it may be newer than the meeting that was asked with.
        var revision: Int
        var bytes: ByteBuffer
    }

    let store: Store
    private let cache = ResultCache<UUID>()

    /// - Parameter meeting: as just read: how far its results are stands in it.
    func read(_ meeting: Meeting) async throws -> Rendered {
        let tag = Self.tag(meeting)
        if let known = cache.find(meeting.form.id, tag) {
            return Rendered(tag: tag, revision: meeting.form.resultsRevision, bytes: known)
        }
        let results = try await store.results.read(meeting.form.id)
        let bytes = ByteBuffer(bytes: results.body(of: meeting).bytes)
        // A submission may have come between the two readings: then these bytes are newer than the tag.
        guard results.revision == meeting.form.resultsRevision else {
            var newer = meeting
            newer.form.resultsRevision = results.revision
            return Rendered(tag: Self.tag(newer), revision: results.revision, bytes: bytes)
        }
        cache.insert(meeting.form.id, tag, bytes)
        return Rendered(tag: tag, revision: results.revision, bytes: bytes)
    }

    /// Everything a result is made of: revision, version, attendance, and whether the form has closed meanwhile.
    static func tag(_ meeting: Meeting) -> ETag {
        let form = meeting.form
        return ETag(
            "r\(form.resultsRevision)-\(form.version)-\(meeting.revision)-\(meeting.attended)"
                + "-\(form.state(at: meeting.now).rawValue)")
    }
}
