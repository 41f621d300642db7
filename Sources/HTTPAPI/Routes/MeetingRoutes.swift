import Domain
import HTTPTypes
import Store
import StrictJSON

/// Meetings: made with their series and form, listed, read, moved to the trash.
struct MeetingRoutes: Sendable {
    let store: Store

    var routes: [Route] {
        [
            Route(
                .post, "/v1/meetings", access: .account(.writeMeetings), accepts: .json(limit: 2 * 1024 * 1024),
                handler: create),
            Route(
                .get, "/v1/meetings", access: .account(.readMeetings),
                query: ["state", "from", "to", "q", "limit", "cursor"], handler: list),
            Route(.get, "/v1/meetings/{id}", access: .account(.readMeetings), handler: get),
            Route(.delete, "/v1/meetings/{id}", access: .account(.writeMeetings), produces: [], handler: trash),
        ]
    }

    private func create(_ request: APIRequest) async throws -> APIResponse {
        let principal = try request.requireCaller()
        let document = try await request.document()
        let draft = try MeetingDraft.read(document.json())
        return .made(
            try await store.meetings.create(draft, by: principal, once: request.repetition(document)) { $0.body.bytes })
    }

    private func list(_ request: APIRequest) async throws -> APIResponse {
        let query = try request.query { reader in
            var query = MeetingQuery(
                phase: reader.choice("state"), from: reader.dateOrInstant("from"), to: reader.dateOrInstant("to"),
                words: reader.string("q").flatMap { $0.isEmpty ? nil : $0 },
                limit: reader.int("limit", in: 1...200) ?? 50)
            query.after = reader.cursor("cursor", Cursor.meeting)
            return query
        }
        // One more than is shown tells whether there is a next page.
        var wanted = query
        wanted.limit += 1
        let found = try await store.meetings.list(wanted, by: request.requireCaller())
        let meetings = found.prefix(query.limit)
        let next = found.count > meetings.count ? meetings.last.map(Cursor.after) : nil
        return .json(
            .object([.init("items", .array(meetings.map(\.body))), .init("next", JSONValue(next))]))
    }

    private func get(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.meetings.require(request.uuid("id"), by: request.requireCaller())
        return .json(meeting.body).tagged(meeting.tag)
    }

    private func trash(_ request: APIRequest) async throws -> APIResponse {
        try await store.meetings.trash(request.uuid("id"), by: request.requireCaller())
        return .noContent
    }
}
