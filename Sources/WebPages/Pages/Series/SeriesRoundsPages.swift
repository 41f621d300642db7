import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import StrictJSON

/// The rounds of a series, a form for the next one, and the poster.
struct SeriesRoundsPages: Sendable {
    var routes: [PageRoute] {
        let series = "/series/{id}"
        return [
            PageRoute(series + "/rounds", get: { try await view(HostSession($0)) }),
            PageRoute(
                series + "/next", get: { .redirect(to: "/series/\($0.safeParameter("id"))/rounds") }, post: next),
        ]
    }

    private func view(
        _ session: HostSession, _ error: FormError? = nil, next typed: NextRound? = nil
    ) async throws -> PageResponse {
        let (page, texts) = (session.page, session.page.texts)
        let reader = try await session.reader()
        let details = try await reader.series(page.id())
        let series = details.series
        let (rounds, hasMore) = try await reader.rounds(of: details.access, limit: SeriesPages.initialRoundCount)
        let proposed = NextRound(after: Array(rounds.prefix(NextRound.rounds)), now: Date())
        let next =
            if let typed { typed } else { try await NextRound.movingToFreeHours([proposed], for: reader)[0] }
        let zones = ZoneNames(reader.timeZone, among: rounds.filter { $0.startsAt != nil }.map(\.timeZone))
        let list = try await RoundList(of: details, known: rounds, hasMore: hasMore, reader, page)
        let status = try await SeriesStatus.find([details], known: [series.id: rounds], reader)[series.id]
        let rates = try await SeriesTrends(of: details.access, rounds, reader, page).responseRates
        let repeating = RoundRepetition(page.fields)
        let model = SeriesRoundsPage(
            title: texts("tabs.rounds-of", ["title": series.title]), head: SeriesHead(series, tab: .rounds, page),
            isTrashed: series.deletedAt != nil, alert: error?.alert,
            faultyFields: error.map { faultyFields(of: $0, texts) } ?? [], canEdit: series.role != "viewer",
            id: "\(series.id)", path: "/series/\(series.id)",
            planned: status?.upcoming.map { RoundLink($0, zones, page) },
            key: SubmitToken.make(), start: next.start, startsAtFault: error?.faults["startsAt"], end: next.end,
            endsAtFault: error?.faults["endsAt"], zone: next.localTime.name, count: repeating.count,
            interval: repeating.interval,
            units: RoundRepetition.units.map {
                .init(choice: $0.name, words: texts("series.unit-\($0.name)"), isChosen: $0.name == repeating.unit)
            },
            repeatFault: error?.faults["repeat"], hasOverlap: error?.code == "meeting-overlap",
            meetings: list.shown.map { round($0, rates[$0.round] ?? nil, zones, page) },
            showAllLabel: list.total.map { texts("series.show-all", ["count": "\($0)"]) },
            hasMoreRounds: list.isTruncated, address: "\(page.kit.options.publicURL)/s/\(series.code)",
            unreachable: page.unreachable)
        let bytes = list.shown.reduce(0) { $0 + $1.title.utf8.count }
        return try await page.kit.largePages.make(isLarge: LargePages.isLarge(bytes: bytes), for: page) {
            page.page(model, status: error?.status ?? .ok)
        }
    }

    private func faultyFields(of error: FormError, _ texts: PageTexts) -> [FaultyField] {
        [("startsAt", "start", "series.start"), ("endsAt", "end", "series.end"), ("repeat", "count", "series.repeat")]
            .filter { error.faults[$0.0] != nil }.map { FaultyField(id: $0.1, label: texts($0.2)) }
    }

    private func round(
        _ meeting: Meeting, _ rate: Double?, _ zones: ZoneNames, _ page: PageRequest
    ) -> SeriesRoundsPage.Round {
        .init(
            id: "\(meeting.id)", round: meeting.round, title: meeting.title,
            when: meeting.startsAt.map { zones.text($0, in: meeting.timeZone, page.language) }
                ?? page.texts("series.undated"),
            state: page.texts("state.\(meeting.form.state)"), submissions: meeting.submissions,
            rate: rate.map(NumberText.percent) ?? "–")
    }

    /// Creates the next round at the typed times, or at the proposed ones if the form has no time fields.
    private func next(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let source = SeriesPages.source(page)
        let reader = try await session.reader()
        let series = try await reader.series(page.id())
        let rounds = try await reader.rounds(of: series.access, limit: NextRound.rounds).rounds
        let proposed = try await NextRound.movingToFreeHours([NextRound(after: rounds, now: Date())], for: reader)[0]
        let next = page.fields["start"] == nil ? proposed : NextRound(page.fields, in: proposed.localTime)
        let repeating = RoundRepetition(page.fields)
        do {
            try session.checkCSRF()
            let response = try await session.send(
                .post, source + "/meetings",
                next.body(
                    repeating, title: RoundTitle.next(after: rounds),
                    allowOverlap: page.fields["overlap"] != nil
                        || page.fields["start"] == nil && proposed.allowsOverlap),
                headers: [.idempotencyKey: SubmitToken.given(page.fields)])
            let meeting: Meeting = try response.decoded()
            return page.done(
                repeating.rounds == 1 ? "round-made" : "rounds-made",
                ["round": "\(meeting.round)", "count": "\(repeating.rounds)"],
                at: "/meetings/\(meeting.id)")
        } catch let error as FormError {
            return try await view(session, error, next: next)
        }
    }
}

/// The values of the template `series-rounds`.
struct SeriesRoundsPage: PageModel {
    struct Round: TemplateValues {
        var id: String
        var round: Int
        var title: String
        var when: String
        var state: String
        var submissions: Int
        /// The response rate.
        var rate: String
    }

    static let template = "series-rounds"
    var title: String
    var head: SeriesHead
    var isTrashed: Bool
    var alert: String?
    var faultyFields: [FaultyField]
    var canEdit: Bool
    /// The id of the series.
    var id: String
    /// The path of the series.
    var path: String

    /// The next round, if it was created already.
    var planned: RoundLink?
    /// The idempotency key of the form for the next round.
    var key: String
    var start: String
    var startsAtFault: String?
    var end: String
    var endsAtFault: String?
    var zone: String
    /// The number of rounds, as typed.
    var count: String
    /// The number of weeks or months between two rounds, as typed.
    var interval: String
    var units: [PageField.Values.Choice]
    var repeatFault: String?
    /// Whether the times overlap another meeting.
    var hasOverlap: Bool

    var meetings: [Round]
    /// The label of the link to all rounds. Nil if all are shown.
    var showAllLabel: String?
    /// Whether there are more rounds than one page lists.
    var hasMoreRounds: Bool

    /// The address in the poster's QR code.
    var address: String
    var unreachable: UnreachableAddress?
}
