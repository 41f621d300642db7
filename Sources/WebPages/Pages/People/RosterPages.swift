import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// The roster of a series, and the attendance of each member.
struct RosterPages: Sendable {
    /// The most faults that are listed.
    private static let faults = 10

    let kit: PageKit

    var routes: [PageRoute] {
        [
            PageRoute("/series/{id}/people", get: { try await view(HostSession($0)) }, post: apply),
            PageRoute("/series/{id}/person", get: person),
        ]
    }

    private func view(_ session: HostSession, _ error: FormError? = nil) async throws -> PageAnswer {
        let page = session.page
        let source = SeriesPages.source(page)
        let series: Series = try await session.get(source)
        let members: Page<Member> = try await session.get(
            source + "/members" + page.query.passedOn(["q", "cursor"], and: ["limit": "100"]))
        let codes: Page<JoinCode> = try await session.get(source + "/join-codes?limit=200")
        let path = "/series/\(series.id)"
        let model = RosterPage(
            title: page.texts("people.title"), alert: error?.alert, series: series.title, home: path, path: page.path,
            query: page.query.passedOn(["q", "cursor"]), faults: error.map { lineFaults($0, page) } ?? [],
            lines: page.fields["lines"] ?? "", words: page.query["q"] ?? "",
            left: try await undatedRound(of: series, session),
            members: members.items.map { member in
                .init(
                    id: "\(member.id)", name: member.name, email: member.email,
                    days: "\(path)/person?email=\(PathQuery.encode(member.email))")
            },
            next: members.next.map { page.path + page.query.passedOn(["q"], and: ["cursor": $0]) },
            codes: codes.items.map { code in
                .init(
                    id: "\(code.id)", url: code.url, used: "\(code.used)" + (code.capacity.map { " / \($0)" } ?? ""))
            },
            capacity: page.fields["capacity"] ?? "", capacityFault: error?.faults["capacity"],
            script: kit.files.address("people.js"))
        return page.page(model, status: error?.status ?? .ok)
    }

    /// The newest round, if it is undated and misses members, who are added to dated rounds only.
    private func undatedRound(of series: Series, _ session: HostSession) async throws -> RosterPage.UndatedRound? {
        guard let latest = series.latest, latest.startsAt == nil else { return nil }
        let meeting: Meeting = try await session.get("/v1/meetings/\(latest.id)")
        guard let sentence = try await MissingMembers(of: meeting, session).sentence(session.page.texts) else {
            return nil
        }
        return .init(
            sentence: sentence, path: "/meetings/\(latest.id)/people#missing",
            round: session.page.texts("listed.add-to", ["round": "\(latest.round)"]))
    }

    /// The faults of members, with the numbers of their lines.
    private func lineFaults(_ error: FormError, _ page: PageRequest) -> [RosterPage.Fault] {
        let lines = PeopleLines(page.fields["lines"] ?? "").lines
        return error.errors.filter { $0.pointer.hasPrefix("/members") }.prefix(Self.faults).map { fault in
            let index = fault.pointer.split(separator: "/").dropFirst().first.flatMap { Int($0) }
            let text = page.texts.fault(fault)
            guard let index, lines.indices.contains(index) else { return .init(text: text) }
            return .init(text: page.texts("people.line", ["line": "\(lines[index])", "fault": text]))
        }
    }

    private func apply(_ page: PageRequest) async throws -> PageAnswer {
        let session = try HostSession(page)
        let source = SeriesPages.source(page)
        let words = (page.fields["act"] ?? "add").split(separator: ":").map { PageRequest.word(String($0)) }
        do {
            try session.checkOrigin()
            switch (words.first, words.count) {
            case ("add", 1):
                let body = MembersRequest(members: PeopleLines(page.fields["lines"] ?? "").people)
                let answer = try await session.send(.post, source + "/members", JSONValue(encoding: body))
                return page.done(
                    "added", ["count": "\(try answer.decoded(MembersAdded.self).added)"], at: page.path)
            case ("remove", 2):
                try await session.send(.delete, "\(source)/members/\(words[1])")
                return page.done("removed", at: page.path + page.query.passedOn(["q", "cursor"]))
            case ("code", 1):
                let typed = page.fields["capacity"] ?? ""
                let capacity = Int(typed).map { JSONValue($0) } ?? .string(typed)
                try await session.send(
                    .post, source + "/join-codes", .object(typed.isEmpty ? [] : [.init("capacity", capacity)]))
                return page.done("link-made", at: page.path + "#codes")
            case ("code-end", 2):
                try await session.send(.delete, "\(source)/join-codes/\(words[1])")
                return page.done("link-ended", at: page.path)
            default: throw PageError(.badRequest)
            }
        } catch let error as FormError {
            return try await view(session, error)
        }
    }

    private func person(_ page: PageRequest) async throws -> PageAnswer {
        let session = try HostSession(page)
        let person: Person = try await session.get(
            SeriesPages.source(page) + "/attendees" + page.query.passedOn(["email"]))
        let path = "/series/\(page.word("id"))"
        var model = PersonPage(person, page)
        (model.home, model.back) = (path, path + "/people")
        model.email = person.email
        model.own = person.code.map { "\(kit.options.publicURL)/p/\($0)" }
        return page.page(model)
    }
}
