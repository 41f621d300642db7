import Contract
import Domain
import Foundation
import HTTPTypes
import Store
import StrictJSON

/// The form of a meeting, for its hosts.
struct FormRoutes: Sendable {
    /// How long `finish` waits for the form to become final.
    private static let finishTimeout: Duration = .seconds(3)

    let store: Store
    private let reads = LargeFormReads()

    init(store: Store) { self.store = store }

    var routes: [Route] {
        let path = "/v1/meetings/{id}/form"
        return [
            Route(.get, path, access: .account(.readMeetings), handler: get),
            Route(
                .put, path, access: .account(.writeMeetings), accepts: .json(limit: 2 * 1024 * 1024), handler: put),
            action(path + "/publish") { try await store.forms.publish(meetingID: $0, by: $1, if: $2) },
            action(path + "/close") { try await store.forms.close(meetingID: $0, by: $1, if: $2) },
            Route(
                .post, path + "/reopen", access: .account(.writeMeetings), accepts: .optionalJSON(limit: 1024),
                handler: reopen),
            action(path + "/finish") { meetingID, accountID, precondition in
                let form = try await store.forms.finish(meetingID: meetingID, by: accountID, if: precondition)
                return try await store.finalising.finish(form, within: Self.finishTimeout)
            },
        ]
    }

    private func get(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.meetings.require(request.uuid("id"), by: request.requireCaller())
        return try await reads.read(meeting.id, definition: \StoredForm.definition) {
            try await store.forms.require(meetingID: meeting.id)
        } _: {
            try response($0)
        }
    }

    private func put(_ request: APIRequest) async throws -> APIResponse {
        let (meeting, principal) = try await store.requireEditableMeeting(for: request)
        // Checked before the body is read, and again under the lock.
        let stored = try await store.forms.require(meetingID: meeting.id)
        try request.requireMatch(Self.tag(stored))
        let definition = try FormDefinition(json: await request.document().json())
        // A form that shows its results shows them to everyone who has its code.
        let shown = definition.showResults
        if shown != .never, shown != stored.definition.showResults { try request.require(.readResults) }
        let form = try await store.forms.save(definition, meetingID: meeting.id, by: principal.account.id) { form in
            try request.requireMatch(Self.tag(form))
        }
        return try response(form)
    }

    /// Changes the state of a meeting's form for an account, if the precondition holds.
    private typealias Transition = @Sendable (UUID, UUID, @escaping Forms.Precondition) async throws -> StoredForm

    private func action(_ path: String, _ transition: @escaping Transition) -> Route {
        Route(.post, path, access: .account(.writeMeetings), accepts: .optionalJSON(limit: 1024)) { request in
            let (meeting, principal) = try await store.requireEditableMeeting(for: request)
            try await request.requireEmptyBody()
            return try response(
                await transition(meeting.id, principal.account.id) { try request.checkMatch(Self.tag($0)) })
        }
    }

    private func reopen(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.requireEditableMeeting(for: request).meeting
        let reader = ObjectReader(try await request.optionalDocument()?.json() ?? .object([]))
        let closes = reader.date("closes")
        try reader.requireNoFaults()
        return try response(
            await store.forms.reopen(
                meetingID: meeting.id, closes: closes, by: request.requireCaller().account.id
            ) { form in try request.checkMatch(Self.tag(form)) })
    }

    private static func tag(_ form: StoredForm) -> ETag { ETag(form.tag) }

    private func response(_ form: StoredForm) throws -> APIResponse {
        try .json(Contract.Form(form)).tagged(Self.tag(form))
    }
}
