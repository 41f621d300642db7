import Contract
import Domain
import HTTPTypes
import NIOCore
import Store
import StrictJSON

/// Sends form invitations: mails to a meeting's attendees with their personal links.
struct FormInvitationRoutes: Sendable {
    let store: Store
    /// The base URL of personal links.
    let publicURL: String
    let letters: LetterCatalogues

    var routes: [Route] {
        [
            Route(
                .post, "/v1/meetings/{id}/form/invitations", access: .account(.writeMeetings),
                accepts: .optionalJSON(limit: 1024), handler: send)
        ]
    }

    private func send(_ request: APIRequest) async throws -> APIResponse {
        let (meeting, principal) = try await store.requireEditableMeeting(for: request)
        let document = try await request.optionalDocument()
        let reader = ObjectReader(try document?.json() ?? .object([]))
        let remind = reader.bool("remind") ?? false
        try reader.requireNoFaults()
        let sent = try await store.formInvitations.send(
            of: meeting.id, remind: remind, publicURL: publicURL, letters: letters.preferred(by: request),
            by: principal, once: request.idempotentRequest(document)
        ) { sent in
            try ContractCoding.encode(Contract.FormInvitations(mailed: sent.mailed, skipped: sent.skipped))
        }
        var response = APIResponse.created(sent)
        // The mails are sent later.
        response.status = .accepted
        return response
    }
}
