import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import StrictJSON

/// The attendee list of a meeting, and the check-in code at its door.
struct AttendancePages: Sendable {
    /// The largest number of people that are added at once.
    private static let maxLines = 200
    private static let maxListedFaults = 10
    private static let maxQuotedCharacters = 80
    private static let statuses = ["expected", "present", "late", "absent"]

    var routes: [PageRoute] {
        let meeting = "/meetings/{id}"
        return [
            PageRoute(meeting + "/people", get: { try await view(HostSession($0)) }, post: apply),
            PageRoute(meeting + "/door", get: door),
            PageRoute(meeting + "/check-in.svg") { page in
                try await page.relay(Self.apiPath(page) + "/check-in.qr.svg", as: HostSession(page).authorization)
            },
        ]
    }

    /// The meeting's path in the API.
    private static func apiPath(_ page: PageRequest) -> String { "/v1/meetings/\(page.safeParameter("id"))" }

    private func view(
        _ session: HostSession, _ error: FormError? = nil, link: (url: String, name: String)? = nil,
        walkIns: WalkInCount? = nil, lines: String? = nil
    ) async throws -> PageResponse {
        let page = session.page
        let (apiPath, texts) = (Self.apiPath(page), page.texts)
        let context = try await MeetingContext(page)
        let (meeting, form) = (context.meeting, context.form)
        let list: Page<Attendee> = try await session.get(
            apiPath + "/attendees" + page.query.queryString(keeping: ["status", "cursor"], adding: ["limit": "100"]))
        let status = page.query["status"] ?? ""
        let hasList = try await hasList(list, status, session)
        let isEnded = meeting.state == "ended"
        let needsPersonalLinks = form.definition.identity == "attendee"
        let isInviting = needsPersonalLinks && hasList && ["open", "scheduled"].contains(form.state)
        let model = AttendancePage(
            title: texts("tabs.people-of", ["title": meeting.title]), head: MeetingHead(context, tab: .people),
            alert: error?.alert, meetingPath: context.path, rosterPath: context.seriesPath + "/people",
            path: page.path, query: page.query.queryString(keeping: ["status", "cursor"]),
            link: link.map {
                .init(
                    text: texts("people.link-once", ["name": $0.name]), url: $0.url,
                    unreachable: page.unreachable)
            },
            summary: Self.summary(
                meeting, hasList: hasList,
                listed: status.isEmpty && page.query["cursor"] == nil && list.next == nil ? list.items.count : nil,
                texts),
            isCheckInSoon: meeting.startsAt != nil && !isEnded,
            isCheckInOver: meeting.startsAt != nil && isEnded,
            doorText: texts(isEnded ? "people.door-over" : "people.door-text"),
            address: "\(page.kit.options.publicURL)/c/\(meeting.checkInCode)", unreachable: page.unreachable,
            hasList: hasList,
            filters: ([""] + Self.statuses).map {
                .init(
                    path: page.path + ($0.isEmpty ? "" : "?status=\($0)"),
                    label: texts($0.isEmpty ? "people.all" : "people.\($0)"), isChosen: $0 == status)
            },
            people: list.items.map { Self.line($0, of: meeting, canGetPersonalLink: needsPersonalLinks, texts) },
            next: list.next.map { page.path + page.query.queryString(keeping: ["status"], adding: ["cursor": $0]) },
            noMailNotice: isInviting ? page.kit.noMailNotice(texts, "listed") : nil,
            hasPersonalLinks: isInviting && context.canEdit, canMail: isInviting && page.kit.options.sendsMail,
            remindLabel: texts(form.definition.anonymous == true ? "people.remind-all" : "people.remind"),
            key: SubmitToken.make(),
            missingNotice: try await MissingMembers(of: meeting, session).sentence(texts),
            name: page.fields["name"] ?? "",
            nameFault: error?.faults["name"], email: page.fields["email"] ?? "", emailFault: error?.faults["email"],
            lines: lines ?? page.fields["lines"] ?? "", linesFault: error?.faults["lines"],
            isAddingLines: error?.faults["lines"] != nil,
            statuses: Self.statuses.dropLast().map {
                .init(choice: $0, words: texts("people.\($0)"), isChosen: page.fields["status"] == $0)
            },
            walkIns: try await self.walkIns(of: meeting, walkIns, session), script: page.kit.files.address("once.js"))
        let bytes = list.items.reduce(0) { $0 + $1.name.utf8.count + ($1.email?.utf8.count ?? 0) }
        return try await page.kit.largePages.make(isLarge: LargePages.isLarge(bytes: bytes), for: page) {
            page.page(model, status: error?.status ?? .ok)
        }
    }

    /// The form that removes the walk-ins of a period; nil if the meeting has no walk-ins.
    ///
    /// - Parameter counted: The count of the walk-ins in the typed period. The host has to confirm their removal.
    private func walkIns(
        of meeting: Meeting, _ counted: WalkInCount?, _ session: HostSession
    ) async throws -> AttendancePage.WalkIns? {
        let page = session.page
        let allWalkIns: WalkInCount = try await session.get(Self.apiPath(page) + "/walk-ins")
        guard let first = allWalkIns.first, let last = allWalkIns.last else { return nil }
        let (localTime, texts) = (LocalTime(meeting.timeZone), page.texts)
        let from = page.fields["from"] ?? localTime.field(LocalTime.startOfMinute(first))
        let to = page.fields["to"] ?? localTime.field(LocalTime.startOfMinute(last).addingTimeInterval(60))
        var values = AttendancePage.WalkIns(
            text: texts("people.walk-ins-text", ["count": "\(allWalkIns.count)", "limit": "\(allWalkIns.limit)"]),
            from: from, to: to, isOpen: page.fields["from"] != nil)
        guard let counted, let start = localTime.parse(from), let end = localTime.parse(to) else { return values }
        let count = "\(counted.count)"
        values.confirmation = .init(
            text: texts(
                "people.walk-ins-sure",
                [
                    "from": localTime.text(start, in: page.language), "to": localTime.text(end, in: page.language),
                    "count": count,
                ]),
            remove: texts("people.walk-ins-remove", ["count": count]), hasMatches: counted.count > 0)
        return values
    }

    /// Whether anyone is on the attendee list.
    ///
    /// - Parameters:
    ///   - part: The page of the list that is shown.
    ///   - status: The status that the list is filtered by; empty for all attendees.
    private func hasList(_ part: Page<Attendee>, _ status: String, _ session: HostSession) async throws -> Bool {
        if !part.items.isEmpty { return true }
        if status.isEmpty && session.page.query["cursor"] == nil { return false }
        let any: Page<Attendee> = try await session.get(Self.apiPath(session.page) + "/attendees?limit=1")
        return !any.items.isEmpty
    }

    /// - Parameter listed: The number of people on the list; nil if the page shows only a part of it.
    private static func summary(_ meeting: Meeting, hasList: Bool, listed: Int?, _ texts: PageTexts) -> String {
        guard hasList || meeting.attended > 0 else {
            return texts(meeting.state == "ended" ? "people.not-kept" : "people.not-begun")
        }
        guard let people = meeting.headcount ?? listed else {
            return texts("people.came", ["count": "\(meeting.attended)"])
        }
        return texts("people.came-of", ["count": "\(meeting.attended)", "people": "\(people)"])
    }

    private static func line(
        _ attendee: Attendee, of meeting: Meeting, canGetPersonalLink: Bool, _ texts: PageTexts
    ) -> AttendancePage.Attendee {
        .init(
            id: "\(attendee.id)", name: attendee.name, email: attendee.email ?? "",
            status: texts("people.\(attendee.status)"),
            historyPath: attendee.email.map { "/series/\(meeting.seriesId)/person" + PathQuery([("email", $0)]).text },
            choices: ["present", "late", "expected"].map {
                .init(choice: $0, words: texts("people.\($0)"), isChosen: attendee.status == $0)
            },
            canGetPersonalLink: canGetPersonalLink)
    }

    private func apply(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let (apiPath, listPath) = (Self.apiPath(page), Self.apiPath(page) + "/attendees")
        let parts = (page.fields["act"] ?? "add").split(separator: ":").map { PageRequest.pathSafe(String($0)) }
        let returnPath = page.path + page.query.queryString(keeping: ["status", "cursor"])
        do {
            try session.checkCSRF()
            switch (parts.first, parts.count) {
            case ("add", 1):
                let email = (page.fields["email"] ?? "").trimmingCharacters(in: .whitespaces)
                let body = AttendeeRequest(
                    name: page.fields["name"] ?? "", email: email.isEmpty ? nil : email, status: page.fields["status"])
                try await session.send(.post, listPath, JSONValue(encoding: body))
                return page.done("person-added", ["name": body.name], at: returnPath)
            case ("add-lines", 1):
                let result = try await addLines(
                    PeopleLines(page.fields["lines"] ?? "", limit: Self.maxLines), listPath, session)
                if let refusal = result.refusal {
                    return try await view(session, refusal, lines: result.rest.joined(separator: "\n"))
                }
                return page.done(
                    result.same == 0 ? "added" : "added-some",
                    ["count": "\(result.added)", "same": "\(result.same)"], at: returnPath)
            case ("links", 1), ("links-csv", 1):
                let context = try await MeetingContext(page)
                let links = try await context.reader.personalLinks(of: context.details)
                let bytes = links.reduce(0) { $0 + $1.name.utf8.count + ($1.email?.utf8.count ?? 0) }
                return try await page.kit.largePages.make(isLarge: LargePages.isLarge(bytes: bytes), for: page) {
                    if parts[0] == "links-csv" { return PersonalLinksPage.file(links, context) }
                    return page.page(PersonalLinksPage(links, context))
                }
            case ("everyone", 1):
                let meeting: Meeting = try await session.get(apiPath)
                let missing = try await MissingMembers(of: meeting, session)
                try await missing.addToAttendeeList(of: meeting, session)
                return page.done("added", ["count": "\(missing.members.count)"], at: page.path)
            case (let status?, 2) where Self.statuses.dropLast().contains(status):
                try await session.send(
                    .patch, "\(listPath)/\(parts[1])", .object([.init("status", .string(status))]))
                return .redirect(to: returnPath + "#p-\(parts[1])")
            case ("remove", 2):
                try await session.send(.delete, "\(listPath)/\(parts[1])")
                return page.done("removed", at: returnPath)
            case ("count-walk-ins", 1), ("remove-walk-ins", 1):
                let meeting: Meeting = try await session.get(apiPath)
                let query = PathQuery(
                    ["from", "to"].map { name in
                        let text = page.fields[name] ?? ""
                        return (name, LocalTime(meeting.timeZone).parse(text).map(RFC3339.format) ?? text)
                    })
                guard parts[0] == "remove-walk-ins" else {
                    let response = try await session.send(.get, apiPath + "/walk-ins" + query.text)
                    return try await view(session, walkIns: response.decoded())
                }
                let response = try await session.send(.delete, apiPath + "/walk-ins" + query.text)
                let removed = try response.decoded(WalkInRemoval.self).removed
                return page.done("walk-ins-removed", ["count": "\(removed)"], at: page.path)
            case ("link", 2):
                let response = try await session.send(.post, "\(listPath)/\(parts[1])/link")
                let link: PersonalLink = try response.decoded()
                return try await view(session, link: (link.url, page.fields["name-\(parts[1])"] ?? ""))
            case ("mail", 1), ("remind", 1):
                let body = JSONValue.object([.init("remind", .bool(parts[0] == "remind"))])
                let response = try await session.send(
                    .post, apiPath + "/form/invitations", body,
                    headers: [.idempotencyKey: SubmitToken.given(page.fields)])
                let mailed = try response.decoded(FormInvitations.self).mailed
                return page.done("mailed", ["count": "\(mailed)"], at: page.path)
            default: throw PageError(.badRequest)
            }
        } catch let error as FormError {
            return try await view(session, error)
        }
    }

    /// What became of pasted lines.
    private struct AddedLines {
        var added = 0
        /// The number of people who were on the list already.
        var same = 0
        /// The lines that were not added, to be corrected.
        var rest: [String] = []
        /// Why they were not.
        var refusal: FormError?
    }

    /// Adds people one by one, with or without an address. Those of lines that are refused are left out. Any other error
    /// ends the adding, and the rest is left out too.
    private func addLines(
        _ pasted: PeopleLines, _ listPath: String, _ session: HostSession
    ) async throws -> AddedLines {
        let (people, texts) = (pasted.people, session.page.texts)
        guard !people.isEmpty, people.count <= Self.maxLines else {
            throw FormError(
                status: .unprocessableContent, alert: texts("refused.look-again"),
                faults: ["lines": texts(people.isEmpty ? "refused.required" : "people.too-many-lines")])
        }
        var (result, faults) = (AddedLines(), [String]())
        for (person, line) in zip(people, pasted.lines) {
            if let refusal = result.refusal, refusal.status != .unprocessableContent {
                result.rest.append(line)
                continue
            }
            let body = AttendeeRequest(
                name: person.name, email: person.email.isEmpty ? nil : person.email, status: "expected")
            do {
                try await session.send(.post, listPath, JSONValue(encoding: body))
                result.added += 1
            } catch let error as FormError where error.code == "attendee-exists" {
                result.same += 1
            } catch let error as FormError {
                let fault = error.faults["email"] ?? error.faults["name"] ?? error.alert
                let quoted = line.shortened(to: Self.maxQuotedCharacters)
                faults.append(texts("people.line", ["line": quoted, "fault": fault]))
                result.rest.append(line)
                result.refusal = error
            }
        }
        let counts = ["count": "\(result.added)", "left": "\(result.rest.count)"]
        result.refusal?.alert = texts("people.lines-left", counts)
        result.refusal?.faults = ["lines": faults.prefix(Self.maxListedFaults).joined(separator: " ")]
        return result
    }

    /// The check-in code for a projector at the entrance.
    private func door(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let meeting: Meeting = try await session.get(Self.apiPath(page))
        return page.page(
            DoorPage(
                title: meeting.title, meetingPath: "/meetings/\(meeting.id)", isOver: meeting.state == "ended",
                canEdit: try await session.canEdit(meeting.seriesId),
                // The address is typed by hand, and browsers add the scheme.
                address: "\(page.kit.options.publicURL)/c/\(meeting.checkInCode)".replacing(/^https?:\/\//, with: "")))
    }
}
