import Contract
import Foundation
import HTTPAPI

/// The next step once a meeting is over. Exactly one of the properties is set.
struct NextStep: TemplateValues {
    struct Proposal: TemplateValues {
        var text: String
        /// The idempotency key of the new round.
        var key: String
        var start: String
        var end: String
        /// Whether the proposed time may be that of another meeting.
        var allowsOverlap: Bool
        /// The proposed day in words; nil without a proposed time.
        var day: String?
    }

    struct Link: TemplateValues {
        var id: String
        var title: String
        /// The text after the title.
        var details: String
    }

    var proposal: Proposal?
    var coming: Link?
    var newest: Link?

    /// A link to the coming round, a proposal for another round, or a link to the newest round. Nil before the meeting
    /// is over, and for viewers.
    static func find(after context: MeetingContext) async throws -> NextStep? {
        guard context.isShut || context.meeting.state == "ended", context.canEdit else { return nil }
        let (details, page, texts) = (context.details, context.page, context.page.texts)
        if details.rounds > 1, let coming = try await SeriesStatus.upcoming(after: details, context.reader) {
            let link = RoundLink(coming, nil, page)
            return NextStep(coming: Link(id: link.id, title: coming.title, details: link.words))
        }
        guard let latest = details.latest else { return nil }
        guard latest.id == context.meeting.id else {
            let round = texts("meeting.round", ["round": "\(latest.round)"])
            return NextStep(newest: Link(id: "\(latest.id)", title: latest.title, details: round))
        }
        let round = try await NextRound.proposed(after: details.series, context.reader)
        return NextStep(
            proposal: Proposal(
                text: texts(details.rounds == 1 ? "meeting.next-first" : "meeting.next-more"),
                key: SubmitToken.make(), start: round.start, end: round.end, allowsOverlap: round.allowsOverlap,
                day: round.startsAt.map { round.localTime.weekdayText($0, in: page.language, now: Date()) }))
    }
}

extension NextRound {
    /// Proposes times for the next round of a series at which the host has no other meeting.
    static func proposed(after series: HostReader.SeriesAccess, _ reader: HostReader) async throws -> NextRound {
        let newest = try await reader.rounds(of: series, limit: rounds).rounds
        return try await movingToFreeHours([NextRound(after: newest, now: Date())], for: reader)[0]
    }
}
