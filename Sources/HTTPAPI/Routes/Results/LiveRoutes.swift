import Contract
import Domain
import HTTPTypes
import Store

/// Event streams, and tickets for clients that cannot send a token.
struct LiveRoutes: Sendable {
    let store: Store
    let hub: LiveHub
    let codeLimit: CodeEnumerationLimit

    var routes: [Route] {
        [
            Route(
                .get, "/v1/meetings/{id}/results/live", access: .account(.readResults), query: ["ticket"],
                produces: [MediaType.eventStream], handler: results),
            Route(
                .get, "/v1/forms/{code}/live", access: .participant, produces: [MediaType.eventStream],
                handler: participantResults),
            Route(
                .get, "/v1/shares/{token}/live", access: .anyone, produces: [MediaType.eventStream], logged: false,
                handler: sharedResults),
            Route(
                .get, "/v1/live", access: .account(.readMeetings), query: ["ticket"],
                produces: [MediaType.eventStream], handler: meetings),
            Route(
                .post, "/v1/live-tickets", access: .account(nil), accepts: .optionalJSON(limit: 1024),
                handler: makeTicket),
        ]
    }

    private func results(_ request: APIRequest) async throws -> APIResponse {
        let caller = try request.requireCaller()
        let meeting = try await store.meetings.require(request.uuid("id"), by: caller)
        try Self.checkQuery(request)
        return try hub.stream(request, of: meeting, authorization: LiveAuthorization(caller, .readResults))
    }

    private func participantResults(_ request: APIRequest) async throws -> APIResponse {
        let code = try request.parameter("code")
        let receipt = try request.optionalReceipt()
        let (meeting, participant) = try await codeLimit.limitMisses(code, of: request) {
            try await store.participantResultAccess.admit(code: code, receipt: receipt)
        }
        return try hub.stream(request, of: meeting, authorization: .participant(participant))
    }

    private func sharedResults(_ request: APIRequest) async throws -> APIResponse {
        let token = try request.parameter("token")
        let meeting = try await codeLimit.limitMisses(token, of: request) {
            try await store.shares.find(token: token).meeting
        }
        return try hub.stream(request, of: meeting, authorization: .share(token))
    }

    private func meetings(_ request: APIRequest) async throws -> APIResponse {
        let caller = try request.requireCaller()
        try Self.checkQuery(request)
        let audience: ViewerAccess.Audience = caller.isAdmin ? .everything : .account(caller.account.id)
        return try hub.stream(request, .meetings(audience), authorization: LiveAuthorization(caller, .readMeetings))
    }

    private func makeTicket(_ request: APIRequest) async throws -> APIResponse {
        try await request.requireEmptyBody()
        let (ticket, expiresAt) = try await store.liveTickets.create(by: request.requireCaller())
        return try .json(LiveTicket(ticket: ticket, expiresAt: expiresAt), status: .created)
    }

    /// Rejects all parameters except `ticket`, which was checked when the caller was authenticated.
    private static func checkQuery(_ request: APIRequest) throws {
        _ = try request.query { $0.string("ticket") }
    }
}

extension LiveHub {
    nonisolated func stream(_ request: APIRequest, of meeting: StoredMeeting, authorization: LiveAuthorization) throws
        -> APIResponse
    {
        try stream(
            request, .results(formID: meeting.form.id), meetingID: meeting.id, seen: ResultReader.tag(meeting),
            authorization: authorization)
    }
}
