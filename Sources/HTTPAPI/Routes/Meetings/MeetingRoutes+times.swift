import Domain
import Foundation
import HTTPTypes
import Store
import StrictJSON

extension MeetingRoutes {
    var timeRoutes: [Route] {
        [
            Route(.get, "/v1/meetings/current", access: .account(.readMeetings), handler: current),
            Route(
                .get, "/v1/meetings/availability", access: .account(.readMeetings),
                query: ["startsAt", "endsAt", "seriesId"], handler: availability),
        ]
    }

    private func current(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.meetings.current(for: request.requireCaller())
        return .json(meeting.body).tagged(meeting.tag)
    }

    private func availability(_ request: APIRequest) async throws -> APIResponse {
        let (start, end, seriesID) = try request.query { reader in
            let start = reader.requiredInstant("startsAt")
            let end = reader.requiredInstant("endsAt")
            if let start, let end, start >= end {
                reader.refuse("endsAt", "ends-before-start", "A meeting ends after it starts.")
            }
            return (start, end, reader.string("seriesId"))
        }
        guard let start, let end else { throw Problem(.validationFailed) }
        // As in a path: what is no id cannot exist.
        let series = try seriesID.map { text throws(Problem) in
            guard let id = UUID(uuidString: text) else { throw Problem(.notFound) }
            return id
        }
        let conflicts = try await store.meetings.conflicts(
            from: start, to: end, in: series, for: request.requireCaller())
        return .json(
            .object([
                .init("available", .bool(conflicts.isEmpty)), .init("conflicts", .array(conflicts.map(\.json))),
            ]))
    }
}
