import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import StrictJSON

/// The page of one series, for its hosts: trends, rounds, a form for the next round, the poster, and co-hosts.
struct SeriesPages: Sendable {
    /// The number of rounds that are read initially, newest first.
    private static let initialRoundCount = 100

    var routes: [PageRoute] {
        let seriesPath = "/series/{id}"
        return SeriesListPages().routes + [
            PageRoute(seriesPath, get: { try await view(HostSession($0)) }, post: apply),
            PageRoute(seriesPath + "/next", get: { .redirect(to: "/series/\($0.safeParameter("id"))") }, post: next),
            PageRoute(seriesPath + "/poster.svg", get: { try await poster($0, "svg") }),
            PageRoute(seriesPath + "/poster.png", get: { try await poster($0, "png") }),
        ]
    }

    /// The path of the series in the API.
    static func source(_ page: PageRequest) -> String { "/v1/series/\(page.safeParameter("id"))" }

    private func poster(_ page: PageRequest, _ format: String) async throws -> PageResponse {
        try await page.relay("\(Self.source(page))/qr.\(format)", as: HostSession(page).authorization)
    }

    private func view(
        _ session: HostSession, _ error: FormError? = nil, next typed: NextRound? = nil,
        newInvitation: Invitation? = nil
    ) async throws -> PageResponse {
        let page = session.page
        let texts = page.texts
        let reader = try await session.reader()
        let details = try await reader.series(page.id())
        let series = details.series
        let (rounds, hasMore) = try await reader.rounds(of: details.access, limit: Self.initialRoundCount)
        let proposed = NextRound(after: Array(rounds.prefix(NextRound.rounds)), now: Date())
        let next =
            if let typed { typed } else { try await NextRound.movingToFreeHours([proposed], for: reader)[0] }
        let trends = try await SeriesTrends(of: details.access, rounds, reader, page)
        let zones = ZoneNames(reader.timeZone, among: rounds.filter { $0.startsAt != nil }.map(\.timeZone))
        let roundList = try await RoundList(of: details, known: rounds, hasMore: hasMore, reader, page)
        let status = try await SeriesStatus.find([details], known: [series.id: rounds], reader)[series.id]
        let isOwner = series.role == "owner"
        let hosts = isOwner ? try await SeriesHosts.hosts(of: details.access, reader, page) : []
        let invited = isOwner ? try await SeriesHosts.invited(to: series, reader, page) : []
        let email = page.fields["email"] ?? ""
        let isStranger = error?.errors.contains { $0.code == "unknown-account" } == true
        let model = SeriesPage(
            title: series.title, alert: error?.alert, faultyFields: error.map { faultyFields(of: $0, page) } ?? [],
            stranger: isStranger ? try await SeriesHosts.stranger(email, session) : nil, role: series.roleText(page),
            isOwn: page.bar?.accountID == series.owner.id, owner: series.owner.name,
            members: series.membersText(texts), canEdit: series.role != "viewer", isOwner: isOwner,
            isTrashed: series.deletedAt != nil, until: series.purgesAt.map { page.time($0) },
            retention: RetentionText.ofSeries(series, texts),
            path: page.path == "/series/\(series.id)/next" ? "/series/\(series.id)" : page.path,
            planned: status?.upcoming.map { RoundLink($0, zones, page) }, key: SubmitToken.make(), start: next.start,
            startsAtFault: error?.faults["startsAt"], end: next.end, endsAtFault: error?.faults["endsAt"],
            zone: next.localTime.name, count: page.fields["count"] ?? "1", repeatFault: error?.faults["repeat"],
            hasOverlap: error?.code == "meeting-overlap", hasTrends: !trends.values.isEmpty,
            lacksTrends: !trends.values.isEmpty && !trends.hasComparableRounds, trends: trends.values,
            hasMoreTrends: trends.isTruncated,
            meetings: roundList.shown.map { round($0, trends.responseRates[$0.round] ?? nil, zones, page) },
            showAllLabel: roundList.total.map { texts("series.show-all", ["count": "\($0)"]) },
            hasMoreRounds: roundList.isTruncated,
            exports: SeriesFiles.exports(page, canEdit: series.role != "viewer"),
            address: "\(page.kit.options.publicURL)/s/\(series.code)", unreachable: page.kit.unreachable(texts),
            hosts: hosts, email: email, emailFault: error?.faults["email"],
            isViewerChosen: page.fields["role"] == "viewer", hasInvited: !invited.isEmpty, invited: invited,
            newInvitation: newInvitation.map { InvitationPages.link(of: $0, page) },
            tag: details.tag, newTitle: page.fields["title"] ?? series.title, titleFault: error?.faults["title"],
            retentionField: isOwner ? RetentionText.field(of: series, error, page).values : nil,
            script: page.kit.files.address("once.js"))
        return page.page(model, status: error?.status ?? .ok)
    }

    /// Links to the fields with faults, and to the address of a co-host who could not be added.
    private func faultyFields(of error: FormError, _ page: PageRequest) -> [SeriesPage.FieldLink] {
        let candidates = [
            ("startsAt", "start", "series.start"), ("endsAt", "end", "series.end"),
            ("repeat", "count", "series.repeat"),
            ("email", "email", "account.email"), ("title", "title", "series.name"),
            ("retentionDays", "retentionDays", "retention.label"),
        ]
        return candidates.filter { error.faults[$0.0] != nil || $0.0 == "email" && page.fields["act"] == "host" }
            .map { .init(id: $0.1, label: page.texts($0.2)) }
    }

    private func round(
        _ meeting: Meeting, _ rate: Double?, _ zones: ZoneNames, _ page: PageRequest
    ) -> SeriesPage.Round {
        .init(
            id: "\(meeting.id)", round: meeting.round, title: meeting.title,
            when: meeting.startsAt.map { zones.text($0, in: meeting.timeZone, page.language) }
                ?? page.texts("series.undated"),
            state: page.texts("state.\(meeting.form.state)"), submissions: meeting.submissions,
            rate: rate.map(NumberText.percent) ?? "–")
    }

    private func apply(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let source = Self.source(page)
        let parts = (page.fields["act"] ?? "").split(separator: ":").map(String.init)
        do {
            try session.checkCSRF()
            switch (parts.first, parts.count) {
            case ("rename", 1):
                let body = JSONValue.object([.init("title", .string(page.fields["title"] ?? ""))])
                try await session.send(.patch, source, body, headers: [.ifMatch: page.fields["tag"] ?? ""])
                return page.done("saved", at: page.path)
            case ("retention", 1):
                let days = page.fields["retentionDays"].flatMap { Int($0) }
                let body = JSONValue.object([.init("retentionDays", JSONValue(days))])
                try await session.send(.patch, source, body, headers: [.ifMatch: page.fields["tag"] ?? ""])
                return page.done("saved", at: page.path)
            case ("trash", 1):
                try await session.send(.delete, source)
                return page.done("trashed", at: "/series?state=trash")
            case ("restore", 1):
                try await session.send(.post, source + "/restore")
                return page.done("restored", at: page.path)
            case ("host", 1):
                let response = try await session.send(
                    .post, source + "/hosts",
                    .object(["email", "role"].map { .init($0, .string(page.fields[$0] ?? "")) }))
                return page.done("host-added", ["name": try response.decoded(CoHost.self).name], at: page.path)
            case ("invite", 1): return try await invite(session)
            case ("invite-off", 2):
                try await session.send(.delete, "/v1/invitations/\(PageRequest.pathSafe(parts[1]))")
                return page.done("invitation-withdrawn", at: page.path)
            case ("host-off", 2):
                try await session.send(.delete, "\(source)/hosts/\(PageRequest.pathSafe(parts[1]))")
                return page.done("removed", at: page.path)
            default: throw PageError(.badRequest)
            }
        } catch let error as FormError {
            return try await view(session, error)
        }
    }

    /// Creates an invitation. The invited person's account becomes a co-host of the series.
    private func invite(_ session: HostSession) async throws -> PageResponse {
        let page = session.page
        let members = [
            ("email", page.fields["email"]), ("role", page.fields["role"]), ("seriesId", page.safeParameter("id")),
        ]
        let response = try await session.send(
            .post, "/v1/invitations",
            .object(members.map { .init($0, .string(($1 ?? "").trimmingCharacters(in: .whitespaces))) }))
        return try await view(session, newInvitation: response.decoded())
    }

    /// Creates the next round at the typed times, or at the proposed ones if the form has no time fields.
    private func next(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let source = Self.source(page)
        let reader = try await session.reader()
        let series = try await reader.series(page.id())
        let rounds = try await reader.rounds(of: series.access, limit: NextRound.rounds).rounds
        let proposed = try await NextRound.movingToFreeHours([NextRound(after: rounds, now: Date())], for: reader)[0]
        let next = page.fields["start"] == nil ? proposed : NextRound(page.fields, in: proposed.localTime)
        do {
            try session.checkCSRF()
            let response = try await session.send(
                .post, source + "/meetings",
                next.body(
                    times: page.fields["count"], title: RoundTitle.next(after: rounds),
                    allowOverlap: page.fields["overlap"] != nil),
                headers: [.idempotencyKey: SubmitToken.given(page.fields)])
            let meeting: Meeting = try response.decoded()
            let count = page.fields["count"].flatMap { Int($0) } ?? 1
            return page.done(
                count == 1 ? "round-made" : "rounds-made", ["round": "\(meeting.round)", "count": "\(count)"],
                at: "/meetings/\(meeting.id)")
        } catch let error as FormError {
            return try await view(session, error, next: next)
        }
    }
}
