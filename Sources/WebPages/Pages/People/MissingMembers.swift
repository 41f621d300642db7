import Contract
import HTTPTypes
import StrictJSON

/// Members of a series who are not on the attendee list of an undated round. The service adds new members to dated
/// rounds only, so the host adds them to an undated round.
struct MissingMembers {
    let members: [Member]

    /// Empty for a dated round, and for a round whose form is closed or final.
    init(of meeting: Meeting, _ session: HostSession) async throws {
        let canLackMembers = meeting.startsAt == nil && !["closed", "final"].contains(meeting.form.state)
        let allMembers: [Member] = canLackMembers ? try await session.all("/v1/series/\(meeting.seriesId)/members") : []
        let attendees: [Attendee] =
            allMembers.isEmpty ? [] : try await session.all("/v1/meetings/\(meeting.id)/attendees")
        let listedAddresses = Set(attendees.compactMap { $0.email?.lowercased() })
        members = allMembers.filter { !listedAddresses.contains($0.email.lowercased()) }
    }

    /// Says who is missing, or how many people are; nil if nobody is missing.
    func sentence(_ texts: PageTexts) -> String? {
        switch members.count {
        case 0: nil
        case 1: texts("listed.missing-one", ["name": members[0].name])
        default: texts("listed.missing", ["count": "\(members.count)"])
        }
    }

    /// Adds the members to the attendee list with the status `expected`. Skips members who have been added in the
    /// meantime.
    func addToAttendeeList(of meeting: Meeting, _ session: HostSession) async throws {
        for member in members {
            do {
                let body = AttendeeRequest(name: member.name, email: member.email, status: "expected")
                try await session.send(.post, "/v1/meetings/\(meeting.id)/attendees", JSONValue(encoding: body))
            } catch let error as FormError where error.code == "attendee-exists" {}
        }
    }
}

extension HostSession {
    /// All items of a list, read page by page.
    func all<Item: Codable & Sendable>(_ path: String) async throws -> [Item] {
        var items: [Item] = []
        var cursor: String?
        repeat {
            let page: Page<Item> = try await get(path + PathQuery([("limit", "200")]).with("cursor", cursor).text)
            items += page.items
            cursor = page.next
        } while cursor != nil
        return items
    }
}
