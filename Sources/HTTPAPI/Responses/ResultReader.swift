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
        try await store.largeResults.admitted(to: meeting.form.id) {
            try await rendered.value(of: meeting.form.id, in: ResultsState(meeting)) { [store] in
                try await store.largeResults.make(from: meeting.form.id) {
                    try await store.results.read(meeting.form.id)
                } _: { results, isLarge in
                    let bytes = ByteBuffer(bytes: try ContractCoding.encode(Contract.Results(results, of: meeting)))
                    let body = KeptBody(bytes, isCompressed: isLarge)
                    let state = ResultsState(meeting, revision: results.revision)
                    return .init(
                        value: Rendered(tag: state.tag, revision: results.revision, body: body), state: state,
                        bytes: body.byteCount)
                }
            }
        }
    }

    /// A tag of everything that the rendered results depend on: the results' revision, the form's version and state,
    /// the meeting's revision, and the people on its list.
    ///
    /// - Parameter revision: The revision of results that were read after the meeting. They are newer if a submission
    ///   arrived in between.
    static func tag(_ meeting: StoredMeeting, revision: Int? = nil) -> ETag {
        ResultsState(meeting, revision: revision).tag
    }
}
