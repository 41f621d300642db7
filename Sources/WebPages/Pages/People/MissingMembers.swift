import Contract
import HTTPTypes
import StrictJSON

/// Members of a series whom a round without a date does not expect by itself: only those with a date to come do.
struct MissingMembers {
    let members: [Member]

    init(of meeting: Meeting, _ visit: HostSession) async throws {
        guard meeting.startsAt == nil, !["closed", "final"].contains(meeting.form.state) else {
            members = []
            return
        }
        let all: [Member] = try await visit.all("/v1/series/\(meeting.seriesId)/members")
        guard !all.isEmpty else {
            members = []
            return
        }
        let listed: [Attendee] = try await visit.all("/v1/meetings/\(meeting.id)/attendees")
        let known = Set(listed.compactMap { $0.email?.lowercased() })
        members = all.filter { !known.contains($0.email.lowercased()) }
    }

    func sentence(_ texts: PageTexts) -> String? {
        switch members.count {
        case 0: nil
        case 1: texts("listed.missing-one", ["name": members[0].name])
        default: texts("listed.missing", ["count": "\(members.count)"])
        }
    }

    /// Puts them on the list; whoever is there by now stays as they are.
    func expect(in meeting: Meeting, _ visit: HostSession) async throws {
        for member in members {
            do {
                let body = AttendeeRequest(name: member.name, email: member.email, status: "expected")
                try await visit.send(.post, "/v1/meetings/\(meeting.id)/attendees", JSONValue(encoding: body))
            } catch let refusal as FormError where refusal.code == "attendee-exists" {}
        }
    }
}

extension HostSession {
    /// A whole list, page by page.
    func all<Item: Codable & Sendable>(_ path: String) async throws -> [Item] {
        var items: [Item] = []
        var cursor: String?
        repeat {
            let page: Page<Item> = try await get(
                path + PathQuery([("limit", "200")] + (cursor.map { [("cursor", $0)] } ?? [])).text)
            items += page.items
            cursor = page.next
        } while cursor != nil
        return items
    }
}
