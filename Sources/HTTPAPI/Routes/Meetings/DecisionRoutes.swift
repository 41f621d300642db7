import Contract
import Domain
import HTTPTypes
import Store

/// What hosts decided at a meeting, which the next rounds of the series show. Viewers read it, editors replace it.
struct DecisionRoutes: Sendable {
    let store: Store

    var routes: [Route] {
        let path = "/v1/meetings/{id}/decisions"
        return [
            Route(.get, path, access: .account(.readMeetings), handler: get),
            Route(.put, path, access: .account(.writeMeetings), accepts: .json(), handler: replace),
        ]
    }

    private func get(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.meetings.require(request.uuid("id"), by: request.requireCaller())
        return try await response(of: meeting)
    }

    private func replace(_ request: APIRequest) async throws -> APIResponse {
        let (meeting, principal) = try await store.requireEditableMeeting(for: request)
        // Checked before the body is read, and again under the lock.
        try await request.requireMatch(revision: store.decisions.revision(of: meeting.id))
        let items = try StoredDecision.readList(await request.document().json())
        try await store.decisions.replace(items, of: meeting, by: principal) { revision in
            try request.requireMatch(revision: revision)
        }
        return try await response(of: meeting)
    }

    private func response(of meeting: StoredMeeting) async throws -> APIResponse {
        let (own, previous) = try await store.decisions.upTo(meeting)
        return try .tagged(Contract.Decisions(own, previous: previous), revision: own.revision)
    }
}
