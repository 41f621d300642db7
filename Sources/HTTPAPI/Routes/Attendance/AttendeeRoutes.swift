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
            Route(
                .post, path, access: .account(.writeMeetings), accepts: .json(limit: 16 * 1024), handler: add),
            Route(
                .patch, path + "/{attendeeId}", access: .account(.writeMeetings), accepts: .json(limit: 16 * 1024),
                handler: change),
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
            (reader.choice("status"), reader.int("limit", in: 1...200) ?? 50, reader.cursor("cursor", Cursor.attendee))
        }
        let found = try await store.attendees.list(
            of: meeting.id, status: status, after: position, limit: limit + 1)
        return try .page(found, limit: limit, after: Cursor.after) { Contract.Attendee($0) }
    }

    private func add(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.requireEditableMeeting(for: request).meeting
        let document = try await request.document()
        let reader = ObjectReader(try document.json())
        let name = reader.requiredPersonName()
        let email = reader.emailAddress()
        let status = Self.status(reader)
        let faults = reader.finish()
        guard let name, faults.isEmpty else { throw Problem(faults) }
        return .created(
            try await store.attendees.add(
                StoredAttendee.Draft(name: name, email: email, status: status ?? .expected), to: meeting,
                by: request.requireCaller(), once: request.idempotentRequest(document)
            ) { try ContractCoding.encode(Contract.Attendee($0)) })
    }

    private func change(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.requireEditableMeeting(for: request).meeting
        let id = try request.uuid("attendeeId")
        try await store.attendees.require(id, of: meeting.id)
        let reader = ObjectReader(try await request.document().json())
        let clears = reader.isNull("email")
        let email = reader.emailAddress()
        let change = StoredAttendee.Change(
            name: reader.personName(), email: clears ? .clear : email.map { .set($0) } ?? .keep,
            status: Self.status(reader))
        let faults = reader.finish()
        guard faults.isEmpty else { throw Problem(faults) }
        let attendee = try await store.attendees.change(id, change, of: meeting, by: request.requireCaller())
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
            Self.check(from, to, &reader)
            return (from, to)
        }
        return try .json(WalkInCount(await store.walkIns.count(of: meeting, from: from, to: to)))
    }

    private func removeWalkIns(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.requireEditableMeeting(for: request).meeting
        let (from, to) = try request.query { reader in
            let (from, to) = (reader.requiredInstant("from"), reader.requiredInstant("to"))
            Self.check(from, to, &reader)
            return (from, to)
        }
        guard let from, let to else { throw Problem(.validationFailed) }
        let removed = try await store.walkIns.remove(
            WalkIns.Window(start: from, end: to), from: meeting, by: request.requireCaller())
        return try .json(WalkInRemoval(removed: removed))
    }

    private static func check(_ from: Date?, _ to: Date?, _ reader: inout QueryReader) {
        if let from, let to, to <= from {
            reader.refuse("to", "ends-before-start", "`to` must be later than `from`.")
        }
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
