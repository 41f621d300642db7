import Foundation
import Store

/// Reads meetings for callers with access. Callers of the same account that wait at the same time share one read, which
/// begins after all of them have asked, so that nobody is admitted after losing access.
struct MeetingReads: Sendable {
    /// What the access to a meeting depends on. Tokens of one admin may differ in whether they have an admin's rights.
    private struct Access: Hashable {
        var accountID: UUID
        var isAdmin: Bool
        var meetingID: UUID
    }

    let store: Store
    private let reads = GroupedReads<Access, StoredMeeting>()

    init(store: Store) {
        self.store = store
    }

    /// Throws `not-found` for a meeting that the caller may not read, as `store.meetings.require` does.
    func require(_ id: UUID, by caller: Principal) async throws -> StoredMeeting {
        let access = Access(accountID: caller.account.id, isAdmin: caller.isAdmin, meetingID: id)
        return try await reads.value(for: access) { [store] in try await store.meetings.require(id, by: caller) }
    }
}
