import Contract
import Domain
import Foundation
import HTTPTypes
import Store
import StrictJSON

/// The attendee list of a meeting, for editors.
struct AttendeeRoutes: Sendable {
    let store: Store
    /// The base URL of personal links.
    let publicURL: String

    var routes: [Route] {
        let path = "/v1/meetings/{id}/attendees"
        return [
            Route(
                .get, path, access: .account(.readMeetings), query: ["status", "limit", "cursor"], handler: list),
            Route(.post, path, access: .account(.writeMeetings), accepts: .json(), handler: add),
            Route(.patch, path + "/{attendeeId}", access: .account(.writeMeetings), accepts: .json(), handler: change),
            Route(
                .delete, path + "/{attendeeId}", access: .account(.writeMeetings), produces: [], handler: remove),
            Route(.post, path + "/{attendeeId}/link", access: .account(.writeMeetings), handler: link),
            Route(
                .get, "/v1/meetings/{id}/walk-ins", access: .account(.readMeetings), query: ["from", "to"],
                handler: countWalkIns),
            Route(
                .delete, "/v1/meetings/{id}/walk-ins", access: .account(.writeMeetings), query: ["from", "to"],
                handler: removeWalkIns),
        ]
    }

    private func list(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.requireEditableMeeting(for: request).meeting
        let (status, limit, position): (AttendanceStatus?, Int, Attendees.Position?) = try request.query { reader in
            (reader.choice("status"), reader.limit(), reader.cursor(Cursor.attendee))
        }
        let found = try await store.attendees.list(
            of: meeting.id, status: status, after: position, limit: limit + 1)
        return try .page(found, limit: limit, after: Cursor.after) { Contract.Attendee($0) }
    }

    private func add(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.requireEditableMeeting(for: request).meeting
        let document = try await request.document()
        let reader = ObjectReader(try document.json())
        let (name, email, status) = (reader.requiredPersonName(), reader.emailAddress(), Self.status(reader))
        let validName = try reader.requireNoFaults(reading: name)
        return .created(
            try await store.attendees.add(
                name: validName, email: email, status: status ?? .expected, to: meeting, by: request.requireCaller(),
                once: request.idempotentRequest(document)
            ) { try ContractCoding.encode(Contract.Attendee($0)) })
    }

    private func change(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.requireEditableMeeting(for: request).meeting
        let id = try request.uuid("attendeeId")
        try await store.attendees.require(id, of: meeting.id)
        let reader = ObjectReader(try await request.document().json())
        let clearsEmail = reader.isNull("email")
        let email = reader.emailAddress()
        let name = reader.personName()
        let status = Self.status(reader)
        try reader.requireNoFaults()
        let attendee = try await store.attendees.change(
            id, name: name, email: clearsEmail ? .set(nil) : email.map { .set($0) } ?? .unchanged, status: status,
            of: meeting, by: request.requireCaller())
        return try .json(Contract.Attendee(attendee))
    }

    private func remove(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.requireEditableMeeting(for: request).meeting
        try await store.attendees.remove(request.uuid("attendeeId"), of: meeting, by: request.requireCaller())
        return .noContent
    }

    private func countWalkIns(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.requireEditableMeeting(for: request).meeting
        let (from, to) = try request.query { reader in
            let (from, to) = (reader.instant("from"), reader.instant("to"))
            reader.requireOrder(from, to)
            return (from, to)
        }
        return try .json(WalkInCount(await store.walkIns.count(of: meeting, from: from, to: to)))
    }

    private func removeWalkIns(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.requireEditableMeeting(for: request).meeting
        let (from, to) = try request.query { reader in
            let (from, to) = (reader.requiredInstant("from"), reader.requiredInstant("to"))
            reader.requireOrder(from, to)
            return (from, to)
        }
        guard let from, let to else { throw Problem(.validationFailed) }
        let removed = try await store.walkIns.remove(
            from..<to, from: meeting, by: request.requireCaller())
        return try .json(WalkInRemoval(removed: removed))
    }

    private func link(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.requireEditableMeeting(for: request).meeting
        let link = try await store.personalLinks.make(
            for: request.uuid("attendeeId"), of: meeting.id, by: request.requireCaller())
        return try .json(Contract.PersonalLink(url: link.url(under: publicURL), token: link.token))
    }

    /// Reads the status that an editor sets. `absent` is rejected, because it is never set: an expected person becomes
    /// absent when the meeting has ended.
    private static func status(_ reader: ObjectReader) -> AttendanceStatus? {
        guard let text = reader.string("status") else { return nil }
        if let status = AttendanceStatus(rawValue: text), status != .absent { return status }
        reader.fault(at: "status", code: "unknown-value", "`status` must be expected, present or late.")
        return nil
    }
}
