import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// Who belongs to a series, and each one's days in it.
struct RosterPages: Sendable {
    /// Faults of lines that are told one by one.
    private static let faults = 10

    let kit: PageKit

    var routes: [PageRoute] {
        [
            PageRoute("/series/{id}/people", get: { try await view(HostSession($0)) }, post: act),
            PageRoute("/series/{id}/person", get: person),
        ]
    }

    private func view(_ visit: HostSession, _ refusal: FormError? = nil) async throws -> PageAnswer {
        let page = visit.page
        let source = SeriesPages.source(page)
        let series: Series = try await visit.get(source)
        let members: Page<Member> = try await visit.get(
            source + "/members" + page.query.passedOn(["q", "cursor"], and: ["limit": "100"]))
        let codes: Page<JoinCode> = try await visit.get(source + "/join-codes?limit=200")
        let path = "/series/\(series.id)"
        var values: [String: Any] = [
            "title": page.texts("people.title"), "series": series.title, "home": path, "path": page.path,
            "query": page.query.passedOn(["q", "cursor"]), "words": page.query["q"] ?? "",
            "lines": page.fields["lines"] ?? "",
            "script": kit.files.address("people.js"),
            "capacity": page.fields["capacity"] ?? "",
            "members": members.items.map { member in
                [
                    "id": "\(member.id)", "name": member.name, "email": member.email,
                    "days": "\(path)/person?email=\(PathQuery.encode(member.email))",
                ]
            },
            "codes": codes.items.map { code in
                [
                    "id": "\(code.id)", "url": code.url,
                    "used": "\(code.used)" + (code.capacity.map { " / \($0)" } ?? ""),
                ]
            },
        ]
        values["left"] = try await left(series, visit)
        values["next"] = members.next.map { page.path + page.query.passedOn(["q"], and: ["cursor": $0]) }
        if let refusal {
            refusal.add(to: &values)
            values["faults"] = lineFaults(refusal, page)
        }
        return page.page("people", values, status: refusal?.status ?? .ok)
    }

    /// The newest round, where somebody here is not on its list and would not get there by themselves.
    private func left(_ series: Series, _ visit: HostSession) async throws -> [String: String]? {
        guard let latest = series.latest, latest.startsAt == nil else { return nil }
        let meeting: Meeting = try await visit.get("/v1/meetings/\(latest.id)")
        guard let sentence = try await MissingMembers(of: meeting, visit).sentence(visit.page.texts) else { return nil }
        return [
            "sentence": sentence, "path": "/meetings/\(latest.id)/people#missing",
            "round": visit.page.texts("listed.add-to", ["round": "\(latest.round)"]),
        ]
    }

    /// What is wrong with the lines, by their numbers.
    private func lineFaults(_ refusal: FormError, _ page: PageRequest) -> [[String: String]] {
        let lines = PeopleLines(page.fields["lines"] ?? "").lines
        return refusal.errors.filter { $0.pointer.hasPrefix("/members") }.prefix(Self.faults).map { fault in
            let place = fault.pointer.split(separator: "/").dropFirst().first.flatMap { Int($0) }
            let text = page.texts.fault(fault)
            guard let place, lines.indices.contains(place) else { return ["text": text] }
            return ["text": page.texts("people.line", ["line": "\(lines[place])", "fault": text])]
        }
    }

    private func act(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        let source = SeriesPages.source(page)
        let words = (page.fields["act"] ?? "add").split(separator: ":").map { PageRequest.word(String($0)) }
        do {
            try visit.checkOrigin()
            switch (words.first, words.count) {
            case ("add", 1):
                let body = MembersRequest(members: PeopleLines(page.fields["lines"] ?? "").people)
                let answer = try await visit.send(.post, source + "/members", JSONValue(encoding: body))
                return page.done(
                    "added", ["count": "\(try answer.decoded(MembersAdded.self).added)"], at: page.path)
            case ("remove", 2):
                try await visit.send(.delete, "\(source)/members/\(words[1])")
                return page.done("removed", at: page.path + page.query.passedOn(["q", "cursor"]))
            case ("code", 1):
                let typed = page.fields["capacity"] ?? ""
                let capacity = Int(typed).map { JSONValue($0) } ?? .string(typed)
                try await visit.send(
                    .post, source + "/join-codes", .object(typed.isEmpty ? [] : [.init("capacity", capacity)]))
                return page.done("link-made", at: page.path + "#codes")
            case ("code-end", 2):
                try await visit.send(.delete, "\(source)/join-codes/\(words[1])")
                return page.done("link-ended", at: page.path)
            default: throw PageError(.badRequest)
            }
        } catch let refusal as FormError {
            return try await view(visit, refusal)
        }
    }

    private func person(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        let person: Person = try await visit.get(
            SeriesPages.source(page) + "/attendees" + page.query.passedOn(["email"]))
        var values = PersonPages.values(person, page)
        values["email"] = person.email
        values["own"] = person.code.map { "\(kit.options.publicURL)/p/\($0)" }
        values["home"] = "/series/\(page.word("id"))"
        values["back"] = "/series/\(page.word("id"))/people"
        return page.page("person", values)
    }
}
