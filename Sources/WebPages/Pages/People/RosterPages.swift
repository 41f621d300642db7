import Contract
import HTTPAPI
import HTTPTypes
import StrictJSON

/// The roster of a series, and the attendance of each member.
struct RosterPages: Sendable {
    var routes: [PageRoute] {
        [
            PageRoute("/series/{id}/people", get: { try await view(HostSession($0)) }, post: apply),
            PageRoute("/series/{id}/person", get: person),
        ]
    }

    /// - Parameter rest: What is wrong with the lines that were not added, and what became of the others.
    private func view(
        _ session: HostSession, _ error: FormError? = nil, rest: RefusedLines? = nil
    ) async throws -> PageResponse {
        let page = session.page
        let seriesAPIPath = SeriesPages.source(page)
        let series: Series = try await session.get(seriesAPIPath)
        let members: Page<Member> = try await session.get(
            seriesAPIPath + "/members" + page.query.queryString(keeping: ["q", "cursor"], adding: ["limit": "100"]))
        let codes: Page<JoinCode> = try await session.get(seriesAPIPath + "/join-codes?limit=200")
        let path = "/series/\(series.id)"
        let reader = try await session.reader()
        let access = try await reader.series(series.id).access
        let grid = AttendanceTable(try await reader.attendanceGrid(of: access), seriesPath: path, page)
        let model = RosterPage(
            title: page.texts("tabs.people-of", ["title": series.title]),
            head: SeriesHead(series, tab: .people, page), alert: error?.alert ?? rest?.notice, path: page.path,
            query: page.query.queryString(keeping: ["q", "cursor"]), faults: rest?.faults ?? [],
            lines: rest?.lines ?? page.fields["lines"] ?? "", search: page.query["q"] ?? "",
            undatedRound: try await undatedRound(of: series, session),
            members: members.items.map { member in
                .init(
                    id: "\(member.id)", name: member.name, email: member.email,
                    historyPath: "\(path)/person?email=\(PathQuery.encode(member.email))")
            },
            next: members.next.map { page.path + page.query.queryString(keeping: ["q"], adding: ["cursor": $0]) },
            codes: codes.items.map { code in
                .init(
                    id: "\(code.id)", url: code.url, uses: "\(code.used)" + (code.capacity.map { " / \($0)" } ?? ""))
            },
            capacity: page.fields["capacity"] ?? "", capacityFault: error?.faults["capacity"],
            grid: grid,
            script: page.kit.files.address("people.js"))
        let names = members.items.map { $0.name + $0.email } + (grid?.people.map { $0.name + $0.historyPath } ?? [])
        let bytes = names.reduce(0) { $0 + $1.utf8.count }
        return try await page.kit.largePages.make(isLarge: LargePages.isLarge(bytes: bytes), for: page) {
            page.page(model, status: error?.status ?? (rest == nil ? .ok : .unprocessableContent))
        }
    }

    /// The newest round, if it is undated and members are not on its attendee list. The service adds new members to
    /// dated rounds only.
    private func undatedRound(of series: Series, _ session: HostSession) async throws -> RosterPage.UndatedRound? {
        guard let latest = series.latest, latest.startsAt == nil else { return nil }
        let meeting: Meeting = try await session.get("/v1/meetings/\(latest.id)")
        guard let sentence = try await MissingMembers(of: meeting, session).sentence(session.page.texts) else {
            return nil
        }
        return .init(
            sentence: sentence, path: "/meetings/\(latest.id)/people#missing",
            label: session.page.texts("listed.add-to", ["round": "\(latest.round)"]))
    }

    /// Adds the people of all lines that can be read. Returns the other lines, or nil if there are none.
    private func addLines(
        _ pasted: PeopleLines, _ path: String, _ session: HostSession
    ) async throws -> (rest: RefusedLines?, added: Int, same: Int) {
        func add(_ people: [MemberRequest]) async throws -> (Int, Int) {
            let response = try await session.send(.post, path, JSONValue(encoding: MembersRequest(members: people)))
            let added = try response.decoded(MembersAdded.self).added
            return (added, people.count - added)
        }
        do {
            let (added, same) = try await add(pasted.people)
            return (nil, added, same)
        } catch let error as FormError {
            let refused = RefusedLines(error, in: pasted, session.page)
            guard !refused.positions.isEmpty else { throw error }
            let accepted = pasted.people.indices.filter { !refused.positions.contains($0) }.map { pasted.people[$0] }
            guard !accepted.isEmpty else { return (refused, 0, 0) }
            let (added, same) = try await add(accepted)
            return (refused, added, same)
        }
    }

    private func apply(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let seriesAPIPath = SeriesPages.source(page)
        let parts = (page.fields["act"] ?? "add").split(separator: ":").map { PageRequest.pathSafe(String($0)) }
        do {
            try session.checkCSRF()
            switch (parts.first, parts.count) {
            case ("add", 1):
                let pasted = PeopleLines(page.fields["lines"] ?? "")
                let result = try await addLines(pasted, seriesAPIPath + "/members", session)
                let counts: KeyValuePairs = ["count": "\(result.added)", "same": "\(result.same)"]
                guard var rest = result.rest else {
                    return page.done(result.same == 0 ? "added" : "added-some", counts, at: page.path)
                }
                rest.notice = page.texts(
                    "people.lines-left", ["count": "\(result.added)", "left": "\(rest.positions.count)"])
                return try await view(session, rest: rest)
            case ("remove", 2):
                try await session.send(.delete, "\(seriesAPIPath)/members/\(parts[1])")
                return page.done("removed", at: page.path + page.query.queryString(keeping: ["q", "cursor"]))
            case ("code", 1):
                let typed = page.fields["capacity"] ?? ""
                let capacity = Int(typed).map { JSONValue($0) } ?? .string(typed)
                try await session.send(
                    .post, seriesAPIPath + "/join-codes", .object(typed.isEmpty ? [] : [.init("capacity", capacity)]))
                return page.done("link-made", at: page.path + "#codes")
            case ("code-end", 2):
                try await session.send(.delete, "\(seriesAPIPath)/join-codes/\(parts[1])")
                return page.done("link-ended", at: page.path)
            default: throw PageError(.badRequest)
            }
        } catch let error as FormError {
            return try await view(session, error)
        }
    }

    private func person(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let person: Person = try await session.get(
            SeriesPages.source(page) + "/attendees" + page.query.queryString(keeping: ["email"]))
        let path = "/series/\(page.safeParameter("id"))"
        var model = PersonPage(person, page)
        (model.seriesPath, model.rosterPath) = (path, path + "/people")
        model.email = person.email
        model.personLink = person.code.map { "\(page.kit.options.publicURL)/p/\($0)" }
        return page.page(model)
    }
}
