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

    var routes: [Route] {
        let path = "/v1/meetings/{id}/form"
        return [
            Route(.get, path, access: .account(.readMeetings), handler: get),
            Route(
                .put, path, access: .account(.writeMeetings), accepts: .json(limit: 2 * 1024 * 1024), handler: put),
            Route(
                .post, path + "/publish", access: .account(.writeMeetings), accepts: .optionalJSON(limit: 1024),
                handler: publish),
            Route(
                .post, path + "/close", access: .account(.writeMeetings), accepts: .optionalJSON(limit: 1024),
                handler: close),
            Route(
                .post, path + "/reopen", access: .account(.writeMeetings), accepts: .optionalJSON(limit: 1024),
                handler: reopen),
            Route(
                .post, path + "/finish", access: .account(.writeMeetings), accepts: .optionalJSON(limit: 1024),
                handler: finish),
        ]
    }

    private func get(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.meetings.require(request.uuid("id"), by: request.requireCaller())
        return try answer(await store.forms.require(meetingID: meeting.id))
    }

    private func put(_ request: APIRequest) async throws -> APIResponse {
        let principal = try request.requireCaller()
        let meeting = try await store.requireEditableMeeting(for: request).meeting
        // Checked before the body is read, and again under the lock.
        try request.requireMatch(Self.tag(await store.forms.require(meetingID: meeting.id)))
        let definition = try FormDefinition(json: await request.document().json())
        let form = try await store.forms.save(definition, meetingID: meeting.id, by: principal.account.id) { form in
            try request.requireMatch(Self.tag(form))
        }
        return try answer(form)
    }

    private func publish(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.requireEditableMeeting(for: request).meeting
        try await Self.requireEmptyBody(request)
        return try answer(
            await store.forms.publish(meetingID: meeting.id, by: request.requireCaller().account.id) { form in
                try request.checkMatch(Self.tag(form))
            })
    }

    private func close(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.requireEditableMeeting(for: request).meeting
        try await Self.requireEmptyBody(request)
        return try answer(
            await store.forms.close(meetingID: meeting.id, by: request.requireCaller().account.id) { form in
                try request.checkMatch(Self.tag(form))
            })
    }

    private func reopen(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.requireEditableMeeting(for: request).meeting
        var closes: Date?
        if let document = try await request.optionalDocument() {
            let reader = ObjectReader(try document.json())
            closes = reader.date("closes")
            let faults = reader.finish()
            guard faults.isEmpty else { throw Problem(faults) }
        }
        return try answer(
            await store.forms.reopen(
                meetingID: meeting.id, closes: closes, by: request.requireCaller().account.id
            ) { form in try request.checkMatch(Self.tag(form)) })
    }

    private func finish(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.requireEditableMeeting(for: request).meeting
        try await Self.requireEmptyBody(request)
        let form = try await store.forms.finish(meetingID: meeting.id, by: request.requireCaller().account.id) { form in
            try request.checkMatch(Self.tag(form))
        }
        return try answer(await store.finalising.finish(form, within: Self.finishTimeout))
    }

    /// Accepts `{}` or no body.
    private static func requireEmptyBody(_ request: APIRequest) async throws {
        guard let document = try await request.optionalDocument() else { return }
        let faults = ObjectReader(try document.json()).finish()
        guard faults.isEmpty else { throw Problem(faults) }
    }

    private static func tag(_ form: StoredForm) -> ETag { ETag(form.tag) }

    private func answer(_ form: StoredForm) throws -> APIResponse {
        try .json(Contract.Form(form)).tagged(Self.tag(form))
    }
}
