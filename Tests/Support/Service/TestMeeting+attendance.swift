import Foundation
import Postgres
import StrictJSON

extension TestService {
    /// Sets a meeting's times, in minutes from the current time of the database.
    public func move(
        _ meeting: TestMeeting, from start: Double, to end: Double, lateAfter: Int = 0, zone: String = "UTC"
    ) async throws {
        try await sql(
            """
            UPDATE meeting SET starts_at = now() + \(start) * interval '1 minute',
                ends_at = now() + \(end) * interval '1 minute', late_after_minutes = \(lateAfter), time_zone = \(zone)
            WHERE id = \(UUID(uuidString: meeting.id))
            """)
    }
}

extension TestMeeting {
    public var attendeesPath: String { "\(path)/attendees" }

    public func checkInPath() async throws -> String {
        "/v1/check-ins/" + (try await host.get(path).expect(200).string("checkInCode"))
    }

    /// Sends the host's request to add an attendee.
    public func add(
        _ name: String, _ email: String? = nil, status: String? = nil
    ) async throws -> HTTPTestClient.Response {
        var members: [JSONValue.Member] = [.init("name", .string(name))]
        if let email { members.append(.init("email", .string(email))) }
        if let status { members.append(.init("status", .string(status))) }
        return try await host.post(attendeesPath, json: JSONValue.object(members).text)
    }

    public func patch(_ attendeeID: String, _ json: String) async throws -> HTTPTestClient.Response {
        try await host.send("PATCH", "\(attendeesPath)/\(attendeeID)", body: Array(json.utf8))
    }

    /// The complete attendee list, read page by page.
    public func attendees(status: String? = nil, limit: Int = 200) async throws -> [JSONValue] {
        var items: [JSONValue] = []
        var cursor: String?
        repeat {
            var path = "\(attendeesPath)?limit=\(limit)"
            if let status { path += "&status=\(status)" }
            if let cursor { path += "&cursor=\(cursor)" }
            let page = try await host.get(path).expect(200)
            items += page.json?["items"]?.array ?? []
            cursor = page.json?["next"]?.string
        } while cursor != nil
        return items
    }
}

extension HTTPTestClient {
    public func checkIn(_ path: String, _ name: String, _ email: String) async throws -> Response {
        let body = JSONValue.object([.init("name", .string(name)), .init("email", .string(email))])
        return try await post(path, json: body.text)
    }
}
