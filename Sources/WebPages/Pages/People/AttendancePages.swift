import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// The attendee list of a meeting, and the check-in code at its door.
struct AttendancePages: Sendable {
    private static let statuses = ["expected", "present", "late", "absent"]

    let kit: PageKit

    var routes: [PageRoute] {
        let meeting = "/meetings/{id}"
        return [
            PageRoute(meeting + "/people", get: { try await view(HostSession($0)) }, post: apply),
            PageRoute(meeting + "/door", get: door),
            PageRoute(meeting + "/check-in.svg") { page in
                try await page.relay(Self.source(page) + "/check-in.qr.svg", as: HostSession(page).authorization)
            },
        ]
    }

    private static func source(_ page: PageRequest) -> String { "/v1/meetings/\(page.word("id"))" }

    private func view(
        _ session: HostSession, _ error: FormError? = nil, link: (url: String, name: String)? = nil,
        walkIns: WalkInCount? = nil
    ) async throws -> PageAnswer {
        let page = session.page
        let (source, texts) = (Self.source(page), page.texts)
        let meeting: Meeting = try await session.get(source)
        let form: Form = try await session.get(source + "/form")
        let list: Page<Attendee> = try await session.get(
            source + "/attendees" + page.query.passedOn(["status", "cursor"], and: ["limit": "100"]))
        let chosen = page.query["status"] ?? ""
        let hasList = try await hasList(list, chosen, session)
        let isEnded = meeting.state == "ended"
        let isPersonal = form.definition.identity == "attendee"
        let isInviting = isPersonal && hasList && ["open", "scheduled"].contains(form.state)
        let model = AttendancePage(
            title: texts("people.attendance"), alert: error?.alert, meeting: meeting.title,
            home: "/meetings/\(meeting.id)", roster: "/series/\(meeting.seriesId)/people", path: page.path,
            query: page.query.passedOn(["status", "cursor"]),
            link: link.map {
                .init(
                    text: texts("people.link-once", ["name": $0.name]), url: $0.url,
                    unreachable: kit.unreachable(texts))
            },
            summary: Self.summary(meeting, hasList: hasList, texts), isCheckInSoon: meeting.startsAt != nil && !isEnded,
            isCheckInOver: meeting.startsAt != nil && isEnded,
            doorText: texts(isEnded ? "people.door-over" : "people.door-text"),
            address: "\(kit.options.publicURL)/c/\(meeting.checkInCode)", unreachable: kit.unreachable(texts),
            hasList: hasList,
            filters: ([""] + Self.statuses).map {
                .init(
                    path: page.path + ($0.isEmpty ? "" : "?status=\($0)"),
                    label: texts($0.isEmpty ? "people.all" : "people.\($0)"), chosen: $0 == chosen)
            },
            people: list.items.map { Self.line($0, of: meeting, isPersonal: isPersonal, texts) },
            next: list.next.map { page.path + page.query.passedOn(["status"], and: ["cursor": $0]) },
            byHand: isInviting ? kit.unmailed(texts, "listed") : nil,
            isMailing: isInviting && kit.options.sendsMail, key: SubmitToken.make(),
            missing: try await MissingMembers(of: meeting, session).sentence(texts), name: page.fields["name"] ?? "",
            nameFault: error?.faults["name"], email: page.fields["email"] ?? "", emailFault: error?.faults["email"],
            statuses: Self.statuses.dropLast().map {
                .init(value: $0, label: texts("people.\($0)"), chosen: page.fields["status"] == $0)
            },
            walkIns: try await self.walkIns(of: meeting, walkIns, session), script: kit.files.address("once.js"))
        return page.page(model, status: error?.status ?? .ok)
    }

    /// The form that removes walk-ins together; nil without walk-ins.
    ///
    /// - Parameter counted: The walk-ins of the typed period, which the host has to confirm.
    private func walkIns(
        of meeting: Meeting, _ counted: WalkInCount?, _ session: HostSession
    ) async throws -> AttendancePage.WalkIns? {
        let page = session.page
        let all: WalkInCount = try await session.get(Self.source(page) + "/walk-ins")
        guard let first = all.first, let last = all.last else { return nil }
        let (clock, texts) = (LocalTime(meeting.timeZone), page.texts)
        let minute = 60.0
        func whole(_ date: Date) -> Date {
            Date(timeIntervalSinceReferenceDate: (date.timeIntervalSinceReferenceDate / minute).rounded(.down) * minute)
        }
        let from = page.fields["from"] ?? clock.field(whole(first))
        let to = page.fields["to"] ?? clock.field(whole(last).addingTimeInterval(minute))
        var values = AttendancePage.WalkIns(
            text: texts("people.walk-ins-text", ["count": "\(all.count)", "limit": "\(all.limit)"]), from: from, to: to,
            isOpen: page.fields["from"] != nil)
        guard let counted, let start = clock.read(from), let end = clock.read(to) else { return values }
        let count = "\(counted.count)"
        values.sure = .init(
            text: texts(
                "people.walk-ins-sure",
                [
                    "from": clock.text(start, in: page.language), "to": clock.text(end, in: page.language),
                    "count": count,
                ]),
            remove: texts("people.walk-ins-remove", ["count": count]), isSome: counted.count > 0)
        return values
    }

    /// Whether the list has any attendee, also outside the part that is shown.
    private func hasList(_ part: Page<Attendee>, _ status: String, _ session: HostSession) async throws -> Bool {
        if !part.items.isEmpty { return true }
        if status.isEmpty && session.page.query["cursor"] == nil { return false }
        let any: Page<Attendee> = try await session.get(Self.source(session.page) + "/attendees?limit=1")
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
    ) -> AttendancePage.Attendee {
        .init(
            id: "\(attendee.id)", name: attendee.name, email: attendee.email ?? "",
            status: texts("people.\(attendee.status)"),
            person: attendee.email.map { "/series/\(meeting.seriesId)/person" + PathQuery([("email", $0)]).text },
            choices: ["present", "late", "expected"].map {
                .init(value: $0, label: texts("people.\($0)"), isChosen: attendee.status == $0)
            },
            isPersonal: isPersonal)
    }

    private func apply(_ page: PageRequest) async throws -> PageAnswer {
        let session = try HostSession(page)
        let (source, list) = (Self.source(page), Self.source(page) + "/attendees")
        let words = (page.fields["act"] ?? "add").split(separator: ":").map { PageRequest.word(String($0)) }
        let here = page.path + page.query.passedOn(["status", "cursor"])
        do {
            try session.checkOrigin()
            switch (words.first, words.count) {
            case ("add", 1):
                let email = (page.fields["email"] ?? "").trimmingCharacters(in: .whitespaces)
                let body = AttendeeRequest(
                    name: page.fields["name"] ?? "", email: email.isEmpty ? nil : email, status: page.fields["status"])
                try await session.send(.post, list, JSONValue(encoding: body))
                return page.done("person-added", ["name": body.name], at: here)
            case ("everyone", 1):
                let meeting: Meeting = try await session.get(source)
                let missing = try await MissingMembers(of: meeting, session)
                try await missing.expect(in: meeting, session)
                return page.done("added", ["count": "\(missing.members.count)"], at: page.path)
            case (let status?, 2) where Self.statuses.dropLast().contains(status):
                try await session.send(
                    .patch, "\(list)/\(words[1])", .object([.init("status", .string(status))]))
                return .redirect(to: here + "#p-\(words[1])")
            case ("remove", 2):
                try await session.send(.delete, "\(list)/\(words[1])")
                return page.done("removed", at: here)
            case ("count-walk-ins", 1), ("remove-walk-ins", 1):
                let meeting: Meeting = try await session.get(source)
                let query = PathQuery(
                    ["from", "to"].map { name in
                        let text = page.fields[name] ?? ""
                        return (name, LocalTime(meeting.timeZone).read(text).map(RFC3339.format) ?? text)
                    })
                guard words[0] == "remove-walk-ins" else {
                    let answer = try await session.send(.get, source + "/walk-ins" + query.text)
                    return try await view(session, walkIns: answer.decoded())
                }
                let answer = try await session.send(.delete, source + "/walk-ins" + query.text)
                let removed = try answer.decoded(WalkInRemoval.self).removed
                return page.done("walk-ins-removed", ["count": "\(removed)"], at: page.path)
            case ("link", 2):
                let answer = try await session.send(.post, "\(list)/\(words[1])/link")
                let link: PersonalLink = try answer.decoded()
                return try await view(session, link: (link.url, page.fields["name-\(words[1])"] ?? ""))
            case ("mail", 1), ("remind", 1):
                let body = JSONValue.object([.init("remind", .bool(words[0] == "remind"))])
                let answer = try await session.send(
                    .post, source + "/form/invitations", body, headers: [.idempotencyKey: SubmitToken.given(page)])
                let mailed = try answer.decoded(FormInvitations.self).mailed
                return page.done("mailed", ["count": "\(mailed)"], at: page.path)
            default: throw PageError(.badRequest)
            }
        } catch let error as FormError {
            return try await view(session, error)
        }
    }

    /// The check-in code for a projector at the entrance.
    private func door(_ page: PageRequest) async throws -> PageAnswer {
        let session = try HostSession(page)
        let meeting: Meeting = try await session.get(Self.source(page))
        return page.page(
            DoorPage(
                title: meeting.title, home: "/meetings/\(meeting.id)", isOver: meeting.state == "ended",
                canEdit: try await session.canEdit(meeting.seriesId),
                // Browsers add the scheme.
                address: "\(kit.options.publicURL)/c/\(meeting.checkInCode)".replacing(/^https?:\/\//, with: ""),
                unreachable: kit.unreachable(page.texts)))
    }
}
