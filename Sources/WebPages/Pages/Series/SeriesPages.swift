import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import StrictJSON

/// A recurring meeting for its hosts: its rounds, how its answers change, the next one, its poster, and who hosts it.
struct SeriesPages: Sendable {
    /// Rounds that a page draws.
    private static let rounds = 100

    let kit: PageKit

    var routes: [PageRoute] {
        let one = "/series/{id}"
        return [
            PageRoute("/series", get: list),
            PageRoute(one, get: { try await view(HostSession($0)) }, post: act),
            PageRoute(one + "/next", get: { .redirect(to: "/series/\($0.word("id"))") }, post: next),
            PageRoute(one + "/poster.svg", get: { try await poster($0, "svg") }),
            PageRoute(one + "/poster.png", get: { try await poster($0, "png") }),
        ]
    }

    /// The id in the address; throws where it is no id.
    static func id(_ page: PageRequest) throws -> ResourceID {
        guard let id = ResourceID(page.parameter("id")) else { throw PageError.notFound }
        return id
    }

    static func source(_ page: PageRequest) -> String { "/v1/series/\(page.word("id"))" }

    private func poster(_ page: PageRequest, _ format: String) async throws -> PageAnswer {
        try await page.relay("\(Self.source(page))/qr.\(format)", as: HostSession(page).authorization)
    }

    // MARK: All of them

    private func list(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        let isTrash = page.query["state"] == "trash"
        let reader = try await visit.reader()
        let found = try await reader.series(
            inTrash: isTrash, containing: page.query["q"].flatMap { $0.isEmpty ? nil : $0 },
            order: isTrash ? .created : .current, after: page.query["cursor"].flatMap { $0.isEmpty ? nil : $0 })
        let zones = ZoneNames(
            reader.timeZone, among: found.series.compactMap(\.series.latest?.timeZone))
        let planned = found.series.filter { !isTrash && $0.series.latest?.state == "upcoming" }
        let standings = try await SeriesStanding.find(planned, reader)
        let series = found.series.map { Self.summary($0.series, standings[$0.access.id], zones, page) }
        var values: [String: Any] = [
            "title": page.texts(isTrash ? "series.trash" : "series.title"), "isTrash": isTrash,
            "words": page.query["q"] ?? "", "series": series,
        ]
        values["isFirst"] = !isTrash && page.query["q"] == nil && page.query["cursor"] == nil
        values["next"] = found.next.map {
            page.path + page.query.passedOn(["q", "state"], and: ["cursor": $0])
        }
        return page.page("series-list", values)
    }

    /// One of a list, with the round that was last and the one that comes; without a standing with its newest round.
    static func summary(
        _ series: Series, _ standing: SeriesStanding?, _ zones: ZoneNames, _ page: PageRequest
    ) -> [String: Any] {
        var values: [String: Any] = [
            "id": "\(series.id)", "title": series.title, "role": role(series, page),
            "rounds": page.texts("series.rounds", ["count": "\(series.rounds)"]),
            "members": page.texts("series.members", ["count": "\(series.members)"]), "canEdit": series.role != "viewer",
        ]
        if let standing {
            values.merge(standing.values(zones, page)) { $1 }
        } else if let latest = series.latest {
            var round: [String: Any] = [
                "id": "\(latest.id)", "title": latest.title, "round": latest.round, "submissions": latest.submissions,
            ]
            round["when"] = latest.startsAt.map { zones.dayText($0, in: latest.timeZone, page.language) }
            values["latest"] = round
        }
        return values
    }

    /// An admin may do in everybody's series what its owner may, and is not its owner.
    private static func role(_ series: Series, _ page: PageRequest) -> String {
        let isOthers = page.bar.map { $0.accountID != series.owner.id } ?? false
        return page.texts(series.role == "owner" && isOthers ? "series.as-admin" : "series.role-\(series.role)")
    }

    // MARK: One of them

    private func view(
        _ visit: HostSession, _ refusal: FormError? = nil, next typed: NextRound? = nil, made: Invitation? = nil
    ) async throws -> PageAnswer {
        let page = visit.page
        let texts = page.texts
        let reader = try await visit.reader()
        let details = try await reader.series(Self.id(page))
        let series = details.series
        let (rounds, hasMore) = try await reader.rounds(of: details.access, limit: Self.rounds)
        let next: NextRound
        if let typed {
            next = typed
        } else {
            let proposed = NextRound(after: Array(rounds.prefix(NextRound.rounds)), now: Date())
            next = try await NextRound.free([proposed], for: reader)[0]
        }
        let trends = try await SeriesTrends(of: details.access, rounds, reader, page)
        let zones = ZoneNames(reader.timeZone, among: rounds.filter { $0.startsAt != nil }.map(\.timeZone))
        let list = try await RoundList(of: details, known: rounds, hasMore: hasMore, reader, page)
        let standing = try await SeriesStanding.find([details], known: [series.id: rounds], reader)[series.id]
        var values = Self.summary(series, standing, zones, page)
        values.merge([
            "path": page.path == "/series/\(series.id)/next" ? "/series/\(series.id)" : page.path,
            "tag": details.tag, "newTitle": page.fields["title"] ?? series.title,
            "owner": series.owner.name, "isOwner": series.role == "owner",
            "isOwn": page.bar?.accountID == series.owner.id, "isTrashed": series.deletedAt != nil,
            "address": "\(kit.options.publicURL)/s/\(series.code)", "key": SubmitToken.make(),
            "start": next.start, "end": next.end, "zone": next.place.name,
            "count": page.fields["count"] ?? "1", "overlaps": refusal?.code == "meeting-overlap",
            "meetings": list.shown.map { round($0, trends.responseRates[$0.round] ?? nil, zones, page) },
            "moreRounds": list.isCut, "trends": trends.values, "hasTrends": !trends.values.isEmpty,
            "trendsLater": !trends.values.isEmpty && trends.isBeginning,
            "moreTrends": trends.isCut, "exports": SeriesFiles.exports(page, canEdit: series.role != "viewer"),
            "email": page.fields["email"] ?? "", "asViewer": page.fields["role"] == "viewer",
        ]) { $1 }
        values["showAll"] = list.all.map { texts("series.show-all", ["count": "\($0)"]) }
        values["unreachable"] = kit.unreachable(texts)
        if series.role == "owner" {
            values["hosts"] = try await SeriesHosts.hosts(of: details.access, reader, page)
            let invited = try await SeriesHosts.invited(to: series, reader, page)
            (values["invited"], values["hasInvited"]) = (invited, !invited.isEmpty)
        }
        values["made"] = made.map { InvitationPages.made($0, page) }
        values["script"] = kit.files.address("once.js")
        if refusal?.errors.contains(where: { $0.code == "unknown-account" }) == true {
            values["stranger"] = try await SeriesHosts.stranger(page.fields["email"] ?? "", visit)
        }
        refusal?.add(to: &values)
        values["places"] = refusal.map { places(of: $0, page) }
        return page.page("series", values, status: refusal?.status ?? .ok)
    }

    /// Where on the page a refusal is about: the form may be far below it.
    private func places(of refusal: FormError, _ page: PageRequest) -> [[String: String]] {
        let all = [
            ("startsAt", "start", "series.start"), ("endsAt", "end", "series.end"),
            ("repeat", "count", "series.repeat"),
            ("email", "email", "account.email"), ("title", "title", "series.name"),
        ]
        return all.filter { refusal.faults[$0.0] != nil || $0.0 == "email" && page.fields["act"] == "host" }
            .map { ["id": $0.1, "label": page.texts($0.2)] }
    }

    private func round(
        _ meeting: Meeting, _ rate: Double?, _ zones: ZoneNames, _ page: PageRequest
    ) -> [String: Any] {
        [
            "id": "\(meeting.id)", "round": meeting.round, "title": meeting.title,
            "state": page.texts("state.\(meeting.form.state)"), "submissions": meeting.submissions,
            "when": meeting.startsAt.map { zones.text($0, in: meeting.timeZone, page.language) }
                ?? page.texts("series.undated"),
            "rate": rate.map(NumberText.percent) ?? "–",
        ]
    }

    private func act(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        let source = Self.source(page)
        let words = (page.fields["act"] ?? "").split(separator: ":").map(String.init)
        do {
            try visit.checkOrigin()
            switch (words.first, words.count) {
            case ("rename", 1):
                let body = JSONValue.object([.init("title", .string(page.fields["title"] ?? ""))])
                try await visit.send(.patch, source, body, headers: [.ifMatch: page.fields["tag"] ?? ""])
                return page.done("saved", at: page.path)
            case ("trash", 1):
                try await visit.send(.delete, source)
                return page.done("trashed", at: "/series?state=trash")
            case ("restore", 1):
                try await visit.send(.post, source + "/restore")
                return page.done("restored", at: page.path)
            case ("host", 1):
                let answer = try await visit.send(
                    .post, source + "/hosts",
                    .object(["email", "role"].map { .init($0, .string(page.fields[$0] ?? "")) }))
                return page.done("host-added", ["name": try answer.decoded(CoHost.self).name], at: page.path)
            case ("invite", 1): return try await invite(visit)
            case ("invite-off", 2):
                try await visit.send(.delete, "/v1/invitations/\(PageRequest.word(words[1]))")
                return page.done("invitation-withdrawn", at: page.path)
            case ("host-off", 2):
                try await visit.send(.delete, "\(source)/hosts/\(PageRequest.word(words[1]))")
                return page.done("removed", at: page.path)
            default: throw PageError(.badRequest)
            }
        } catch let refusal as FormError {
            return try await view(visit, refusal)
        }
    }

    /// Whoever makes an account by this has the series on their home from the beginning.
    private func invite(_ visit: HostSession) async throws -> PageAnswer {
        let page = visit.page
        let members = [("email", page.fields["email"]), ("role", page.fields["role"]), ("seriesId", page.word("id"))]
        let answer = try await visit.send(
            .post, "/v1/invitations",
            .object(members.map { .init($0, .string(($1 ?? "").trimmingCharacters(in: .whitespaces))) }))
        return try await view(visit, made: answer.decoded())
    }

    /// In one press: without times of its own it is as proposed.
    private func next(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        let source = Self.source(page)
        let reader = try await visit.reader()
        let series = try await reader.series(Self.id(page))
        let rounds = try await reader.rounds(of: series.access, limit: NextRound.rounds).rounds
        let proposed = try await NextRound.free([NextRound(after: rounds, now: Date())], for: reader)[0]
        let next = page.fields["start"] == nil ? proposed : NextRound(page.fields, in: proposed.place)
        do {
            try visit.checkOrigin()
            let answer = try await visit.send(
                .post, source + "/meetings",
                next.body(
                    times: page.fields["count"], title: RoundTitle.next(after: rounds),
                    allowOverlap: page.fields["overlap"] != nil),
                headers: [.idempotencyKey: SubmitToken.given(page)])
            let meeting: Meeting = try answer.decoded()
            let count = page.fields["count"].flatMap { Int($0) } ?? 1
            return page.done(
                count == 1 ? "round-made" : "rounds-made", ["round": "\(meeting.round)", "count": "\(count)"],
                at: "/meetings/\(meeting.id)")
        } catch let refusal as FormError {
            return try await view(visit, refusal, next: next)
        }
    }
}
