import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// Who is expected at a meeting and who came, and the code at its door.
struct AttendancePages: Sendable {
    private static let statuses = ["expected", "present", "late", "absent"]

    let kit: PageKit

    var routes: [PageRoute] {
        let meeting = "/meetings/{id}"
        return [
            PageRoute(meeting + "/people", get: { try await view(HostSession($0)) }, post: act),
            PageRoute(meeting + "/door", get: door),
            PageRoute(meeting + "/check-in.svg") { page in
                try await page.relay(Self.source(page) + "/check-in.qr.svg", as: HostSession(page).authorization)
            },
        ]
    }

    private static func source(_ page: PageRequest) -> String { "/v1/meetings/\(page.word("id"))" }

    private func view(
        _ visit: HostSession, _ refusal: FormError? = nil, link: (url: String, name: String)? = nil,
        walkIns: WalkInCount? = nil
    ) async throws -> PageAnswer {
        let page = visit.page
        let (source, texts) = (Self.source(page), page.texts)
        let meeting: Meeting = try await visit.get(source)
        let form: Form = try await visit.get(source + "/form")
        let list: Page<Attendee> = try await visit.get(
            source + "/attendees" + page.query.passedOn(["status", "cursor"], and: ["limit": "100"]))
        let chosen = page.query["status"] ?? ""
        let hasList = try await hasList(list, chosen, visit)
        var values: [String: Any] = [
            "title": texts("people.attendance"), "meeting": meeting.title, "home": "/meetings/\(meeting.id)",
            "path": page.path, "query": page.query.passedOn(["status", "cursor"]),
            "address": "\(kit.options.publicURL)/c/\(meeting.checkInCode)", "hasList": hasList,
            "key": SubmitToken.make(), "isCheckInSoon": meeting.startsAt != nil && meeting.state != "ended",
            "isCheckInOver": meeting.startsAt != nil && meeting.state == "ended",
            "summary": Self.summary(meeting, hasList: hasList, texts), "script": kit.files.address("once.js"),
            "filters": ([""] + Self.statuses).map {
                [
                    "path": page.path + ($0.isEmpty ? "" : "?status=\($0)"), "chosen": $0 == chosen,
                    "label": texts($0.isEmpty ? "people.all" : "people.\($0)"),
                ]
            },
            "roster": "/series/\(meeting.seriesId)/people",
            "people": list.items.map {
                Self.line($0, of: meeting, isPersonal: form.definition.identity == "attendee", texts)
            },
            "name": page.fields["name"] ?? "", "email": page.fields["email"] ?? "",
            "statuses": Self.statuses.dropLast().map {
                ["value": $0, "label": texts("people.\($0)"), "chosen": page.fields["status"] == $0]
            },
        ]
        values["doorText"] = texts(meeting.state == "ended" ? "people.door-over" : "people.door-text")
        values["unreachable"] = kit.unreachable(texts)
        let isPersonal = form.definition.identity == "attendee" && ["open", "scheduled"].contains(form.state)
        values["isMailing"] = isPersonal && hasList && kit.options.sendsMail
        values["byHand"] = isPersonal && hasList ? kit.unmailed(texts, "listed") : nil
        values["missing"] = try await MissingMembers(of: meeting, visit).sentence(texts)
        values["next"] = list.next.map { page.path + page.query.passedOn(["status"], and: ["cursor": $0]) }
        values["link"] = link.map { ["url": $0.url, "text": texts("people.link-once", ["name": $0.name])] }
        values["walkIns"] = try await self.walkIns(of: meeting, walkIns, visit)
        refusal?.add(to: &values)
        return page.page("attendance", values, status: refusal?.status ?? .ok)
    }

    /// How people who checked in by code are removed together; nil where there are none.
    ///
    /// - Parameter counted: those of the time that was typed, to be confirmed.
    private func walkIns(
        of meeting: Meeting, _ counted: WalkInCount?, _ visit: HostSession
    ) async throws -> [String: Any]? {
        let page = visit.page
        let all: WalkInCount = try await visit.get(Self.source(page) + "/walk-ins")
        guard let first = all.first, let last = all.last else { return nil }
        let (clock, texts) = (LocalTime(meeting.timeZone), page.texts)
        let minute = 60.0
        func whole(_ date: Date) -> Date {
            Date(timeIntervalSinceReferenceDate: (date.timeIntervalSinceReferenceDate / minute).rounded(.down) * minute)
        }
        let from = page.fields["from"] ?? clock.field(whole(first))
        let to = page.fields["to"] ?? clock.field(whole(last).addingTimeInterval(minute))
        var values: [String: Any] = [
            "from": from, "to": to, "isOpen": page.fields["from"] != nil,
            "text": texts("people.walk-ins-text", ["count": "\(all.count)", "limit": "\(all.limit)"]),
        ]
        guard let counted, let start = clock.read(from), let end = clock.read(to) else { return values }
        values["sure"] = [
            "text": texts(
                "people.walk-ins-sure",
                [
                    "from": clock.text(start, in: page.language), "to": clock.text(end, in: page.language),
                    "count": "\(counted.count)",
                ]),
            "remove": texts("people.walk-ins-remove", ["count": "\(counted.count)"]), "isSome": counted.count > 0,
        ]
        return values
    }

    /// Whether anybody is on it at all, whichever part of it is looked at.
    private func hasList(_ part: Page<Attendee>, _ status: String, _ visit: HostSession) async throws -> Bool {
        if !part.items.isEmpty { return true }
        if status.isEmpty && visit.page.query["cursor"] == nil { return false }
        let any: Page<Attendee> = try await visit.get(Self.source(visit.page) + "/attendees?limit=1")
        return !any.items.isEmpty
    }

    private static func summary(_ meeting: Meeting, hasList: Bool, _ texts: PageTexts) -> String {
        guard hasList || meeting.attended > 0 else {
            return texts(meeting.state == "ended" ? "people.not-kept" : "people.not-begun")
        }
        guard let headcount = meeting.headcount else {
            return texts("people.came", ["count": "\(meeting.attended)"])
        }
        return texts("people.came-of", ["count": "\(meeting.attended)", "people": "\(headcount)"])
    }

    private static func line(
        _ attendee: Attendee, of meeting: Meeting, isPersonal: Bool, _ texts: PageTexts
    ) -> [String: Any] {
        var values: [String: Any] = [
            "id": "\(attendee.id)", "name": attendee.name, "email": attendee.email ?? "",
            "status": texts("people.\(attendee.status)"), "isPersonal": isPersonal,
            "choices": ["present", "late", "expected"].map {
                ["value": $0, "label": texts("people.\($0)"), "isChosen": attendee.status == $0]
            },
        ]
        values["person"] = attendee.email.map {
            "/series/\(meeting.seriesId)/person" + PathQuery([("email", $0)]).text
        }
        return values
    }

    private func act(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        let (source, list) = (Self.source(page), Self.source(page) + "/attendees")
        let words = (page.fields["act"] ?? "add").split(separator: ":").map { PageRequest.word(String($0)) }
        let here = page.path + page.query.passedOn(["status", "cursor"])
        do {
            try visit.checkOrigin()
            switch (words.first, words.count) {
            case ("add", 1):
                let email = (page.fields["email"] ?? "").trimmingCharacters(in: .whitespaces)
                let body = AttendeeRequest(
                    name: page.fields["name"] ?? "", email: email.isEmpty ? nil : email, status: page.fields["status"])
                try await visit.send(.post, list, JSONValue(encoding: body))
                return page.done("person-added", ["name": body.name], at: here)
            case ("everyone", 1):
                let meeting: Meeting = try await visit.get(source)
                let missing = try await MissingMembers(of: meeting, visit)
                try await missing.expect(in: meeting, visit)
                return page.done("added", ["count": "\(missing.members.count)"], at: page.path)
            case (let status?, 2) where Self.statuses.dropLast().contains(status):
                try await visit.send(
                    .patch, "\(list)/\(words[1])", .object([.init("status", .string(status))]))
                return .redirect(to: here + "#p-\(words[1])")
            case ("remove", 2):
                try await visit.send(.delete, "\(list)/\(words[1])")
                return page.done("removed", at: here)
            case ("count-walk-ins", 1), ("remove-walk-ins", 1):
                let meeting: Meeting = try await visit.get(source)
                let query = PathQuery(
                    ["from", "to"].map { name in
                        let text = page.fields[name] ?? ""
                        return (name, LocalTime(meeting.timeZone).read(text).map(RFC3339.format) ?? text)
                    })
                guard words[0] == "remove-walk-ins" else {
                    let answer = try await visit.send(.get, source + "/walk-ins" + query.text)
                    return try await view(visit, walkIns: answer.decoded())
                }
                let answer = try await visit.send(.delete, source + "/walk-ins" + query.text)
                let removed = try answer.decoded(WalkInRemoval.self).removed
                return page.done("walk-ins-removed", ["count": "\(removed)"], at: page.path)
            case ("link", 2):
                let answer = try await visit.send(.post, "\(list)/\(words[1])/link")
                let link: PersonalLink = try answer.decoded()
                return try await view(visit, link: (link.url, page.fields["name-\(words[1])"] ?? ""))
            case ("mail", 1), ("remind", 1):
                let body = JSONValue.object([.init("remind", .bool(words[0] == "remind"))])
                let answer = try await visit.send(
                    .post, source + "/form/invitations", body, headers: [.idempotencyKey: SubmitToken.given(page)])
                let mailed = try answer.decoded(FormInvitations.self).mailed
                return page.done("mailed", ["count": "\(mailed)"], at: page.path)
            default: throw PageError(.badRequest)
            }
        } catch let refusal as FormError {
            return try await view(visit, refusal)
        }
    }

    /// For a projector at the entrance.
    private func door(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        let meeting: Meeting = try await visit.get(Self.source(page))
        return page.page(
            "door",
            [
                "title": meeting.title, "home": "/meetings/\(meeting.id)", "isOver": meeting.state == "ended",
                "canEdit": try await visit.canEdit(meeting.seriesId),
                // As people type it.
                "address": "\(kit.options.publicURL)/c/\(meeting.checkInCode)".replacing(/^https?:\/\//, with: ""),
                "unreachable": kit.unreachable(page.texts) ?? false,
            ])
    }
}
