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
    private let rendered = StateCache<UUID, Rendered>(capacity: 1_000, maxBytes: 32 << 20)

    init(store: Store) { self.store = store }

    /// - Parameter meeting: Freshly read, because it contains the results' revision.
    func read(_ meeting: StoredMeeting) async throws -> Rendered {
        try await rendered.value(of: meeting.form.id, in: Self.tag(meeting)) { [store] in
            let results = try await store.results.read(meeting.form.id)
            let body = KeptBody(ByteBuffer(bytes: try ContractCoding.encode(Contract.Results(results, of: meeting))))
            let tag = Self.tag(meeting, revision: results.revision)
            return .init(
                value: Rendered(tag: tag, revision: results.revision, body: body), state: tag, bytes: body.byteCount)
        }
    }

    /// A tag of everything that the rendered results depend on: the results' revision, the form's version and state,
    /// the meeting's revision, and the people on its list.
    ///
    /// - Parameter revision: The revision of results that were read after the meeting. They are newer if a submission
    ///   arrived in between.
    static func tag(_ meeting: StoredMeeting, revision: Int? = nil) -> ETag {
        let form = meeting.form
        return ETag(
            "r\(revision ?? form.resultsRevision)-\(form.version)-\(meeting.revision)-\(meeting.attended)"
                + "-\(meeting.unseen)-\(form.state(at: meeting.now).rawValue)")
    }
}
