import Contract
import Foundation
import HTTPAPI

/// Decides what a meeting's page shows first. While the form is open and the meeting is not over, that is the link to
/// the form. Afterwards, it is the results.
struct MeetingPhase {
    let details: HostReader.MeetingDetails
    /// The earliest round of the series that has not begun, other than this meeting.
    let coming: Meeting?
    /// The proposed times of another round; nil for viewers, and if this round is not the newest.
    let proposal: NextRound?

    private var meeting: Meeting { details.meeting }
    private var form: Form { details.form }
    private var isOver: Bool { isShut || meeting.state == "ended" }

    var isOpen: Bool { form.state == "open" }
    /// Whether the form accepts no more answers.
    var isShut: Bool { form.state == "closed" || form.state == "final" }
    /// Whether the form is not open yet.
    var isBefore: Bool { form.state == "draft" || form.state == "scheduled" }
    /// Whether the link to the form is shown above the results.
    var isInviting: Bool { isOpen && !isOver }
    /// Whether the link to the form is shown below the results, in a part that can be folded.
    var isFolded: Bool { form.state != "draft" && (!isOpen || isOver) }
    /// Whether the part with the link is unfolded at first.
    var isFoldOpen: Bool { isOpen || form.state == "scheduled" }
    var hasResults: Bool { !isBefore || meeting.submissions > 0 }

    /// The next step once a meeting is over. Exactly one of the properties is set.
    struct Next: TemplateValues {
        struct Proposal: TemplateValues {
            var text: String
            /// The idempotency key of the new round.
            var key: String
            var start: String
            var end: String
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
    }

    /// A link to the coming round, a proposal for another round, or a link to the newest round. Nil before the meeting
    /// is over, and for viewers.
    func next(_ page: PageRequest) -> Next? {
        guard isOver, details.canEdit else { return nil }
        let texts = page.texts
        if let coming {
            let link = RoundLink(coming, nil, page)
            return Next(coming: .init(id: link.id, title: coming.title, details: link.words))
        }
        if let proposal {
            return Next(
                proposal: .init(
                    text: texts(details.rounds == 1 ? "meeting.next-first" : "meeting.next-more"),
                    key: SubmitToken.make(), start: proposal.start, end: proposal.end,
                    day: proposal.startsAt.map {
                        proposal.localTime.weekdayText($0, in: page.language, now: Date())
                    }))
        }
        return details.latest.map {
            Next(
                newest: .init(
                    id: "\($0.id)", title: $0.title, details: texts("meeting.round", ["round": "\($0.round)"])))
        }
    }
}

extension NextRound {
    /// Proposes times for the next round of a series at which the host has no other meeting.
    static func proposed(after series: HostReader.SeriesAccess, _ reader: HostReader) async throws -> NextRound {
        let newest = try await reader.rounds(of: series, limit: rounds).rounds
        return try await movingToFreeHours([NextRound(after: newest, now: Date())], for: reader)[0]
    }
}
