import Domain
import HTTPTypes
import Store
import StrictJSON

/// Results for participants, by a form's code: the same bytes as for hosts, and the released texts.
struct ParticipantResultRoutes: Sendable {
    let store: Store
    let reader: ResultReader
    let codeLimit: CodeEnumerationLimit
    /// The reads of meetings whose results may be shown, by code and receipt.
    let meetings = GroupedReads<[String?], Meeting>()

    init(store: Store, reader: ResultReader, codeLimit: CodeEnumerationLimit) {
        (self.store, self.reader, self.codeLimit) = (store, reader, codeLimit)
    }

    var routes: [Route] {
        let path = "/v1/forms/{code}/results"
        return [
            Route(.get, path, access: .participant, handler: results),
            Route(
                .get, path + "/{key}/answers", access: .participant, query: TextPage.query,
                handler: texts),
        ]
    }

    private func results(_ request: APIRequest) async throws -> APIResponse {
        try await reader.respond(to: request, with: meeting(request))
    }

    private func texts(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await meeting(request)
        return try await TextPage.respond(to: request, withReleasedTextsOf: meeting, in: store)
    }

    private func meeting(_ request: APIRequest) async throws -> Meeting {
        let (typed, receipt) = (try request.parameter("code"), try request.optionalReceipt())
        return try await codeLimit.limitMisses(typed, of: request) {
            let code = try ParticipantCode(typed).text
            return try await meetings.value(for: [code, receipt]) { [store] in
                try await store.participantResultAccess.requireMeeting(code: code, receipt: receipt)
            }
        }
    }
}

extension APIRequest {
    /// The receipt, if the request has one. Throws 401 for other credentials.
    func optionalReceipt() throws(Problem) -> String? {
        switch credentials {
        case .receipt(let receipt): return receipt
        case nil: return nil
        case .bearer, .respondent:
            throw Problem(.unauthorized, "Results accept Authorization: Receipt or no Authorization header.")
        }
    }
}
