import Contract
import Domain
import Foundation
import HTTPTypes
import Store

/// Meetings: create, list, read, edit, delete and restore.
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
            Route(
                .patch, "/v1/meetings/{id}", access: .account(.writeMeetings), accepts: .json(limit: 64 * 1024),
                handler: edit),
            Route(.delete, "/v1/meetings/{id}", access: .account(.writeMeetings), produces: [], handler: trash),
            Route(.post, "/v1/meetings/{id}/restore", access: .account(.writeMeetings), handler: restore),
            Route(.get, "/v1/meetings/current", access: .account(.readMeetings), handler: current),
            Route(
                .get, "/v1/meetings/availability", access: .account(.readMeetings),
                query: ["startsAt", "endsAt", "seriesId"], handler: availability),
        ]
    }

    private func create(_ request: APIRequest) async throws -> APIResponse {
        let principal = try request.requireCaller()
        let document = try await request.document()
        let draft = try MeetingDraft.read(document.json())
        return .created(
            try await store.meetings.create(draft, by: principal, once: request.idempotentRequest(document)) {
                try ContractCoding.encode(Contract.Meeting($0))
            })
    }

    private func list(_ request: APIRequest) async throws -> APIResponse {
        let query = try request.query { reader in
            var query = MeetingQuery(
                phase: reader.choice("state"), from: reader.dateOrInstant("from"), to: reader.dateOrInstant("to"),
                searchText: reader.string("q").flatMap { $0.isEmpty ? nil : $0 }, limit: reader.limit())
            if let from = query.from, let to = query.to, to < from {
                reader.refuse("to", "ends-before-start", "`to` must not be earlier than `from`.")
            }
            query.after = reader.cursor(Cursor.meeting)
            return query
        }
        var wanted = query
        wanted.limit += 1
        let found = try await store.meetings.list(wanted, by: request.requireCaller())
        return try .page(found, limit: query.limit, after: Cursor.after) { Contract.Meeting($0) }
    }

    private func get(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.meetings.require(request.uuid("id"), by: request.requireCaller())
        return try .tagged(Contract.Meeting(meeting), revision: meeting.revision)
    }

    private func edit(_ request: APIRequest) async throws -> APIResponse {
        let (meeting, principal) = try await store.requireEditableMeeting(for: request)
        // Checked before the body is read, and again under the lock.
        try request.requireMatch(revision: meeting.revision)
        let body = try await request.document().json()
        let edited = try await store.meetings.edit(meeting.id, by: principal) { current in
            try request.requireMatch(revision: current.revision)
            return try MeetingDraft.read(body, changing: current.draft)
        }
        return try .tagged(Contract.Meeting(edited), revision: edited.revision)
    }

    private func restore(_ request: APIRequest) async throws -> APIResponse {
        let restored = try await store.meetings.restore(request.uuid("id"), by: request.requireCaller()) { meeting in
            try request.checkMatch(revision: meeting.revision)
        }
        return try .tagged(Contract.Meeting(restored), revision: restored.revision)
    }

    private func trash(_ request: APIRequest) async throws -> APIResponse {
        try await store.meetings.trash(request.uuid("id"), by: request.requireCaller()) { meeting in
            try request.checkMatch(revision: meeting.revision)
        }
        return .noContent
    }

    private func current(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.meetings.current(for: request.requireCaller())
        return try .tagged(Contract.Meeting(meeting), revision: meeting.revision)
    }

    private func availability(_ request: APIRequest) async throws -> APIResponse {
        let (start, end, seriesID) = try request.query { reader in
            let start = reader.requiredInstant("startsAt")
            let end = reader.requiredInstant("endsAt")
            if let start, let end, start >= end {
                reader.refuse("endsAt", "ends-before-start", "A meeting must end after it starts.")
            }
            return (start, end, reader.string("seriesId"))
        }
        guard let start, let end else { throw Problem(.validationFailed) }
        // As in a path, an invalid id results in 404.
        let series = try seriesID.map { text throws(Problem) in
            guard let id = UUID(uuidString: text) else { throw Problem(.notFound) }
            return id
        }
        let conflicts = try await store.meetings.conflicts(
            from: start, to: end, in: series, for: request.requireCaller())
        return try .json(
            Availability(
                available: conflicts.isEmpty, conflicts: conflicts.map { Contract.MeetingConflict($0) }))
    }
}
