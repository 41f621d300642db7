import Domain
import HTTPTypes
import Store

/// What a host's remote shows on the stages of a meeting.
struct StageRoutes: Sendable {
    let store: Store

    var routes: [Route] {
        [
            Route(
                .post, "/v1/meetings/{id}/stage", access: .account(.writeMeetings), accepts: .json(limit: 1024),
                produces: [], handler: show)
        ]
    }

    private func show(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.requireEditableMeeting(for: request).meeting
        let view = try StageView(json: await request.document().json())
        try await store.show(view, ofForm: meeting.form.id)
        return .noContent
    }
}
