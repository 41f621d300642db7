import Contract
import Foundation
import HTTPAPI

/// What a meeting's page shows first: the way to its form while it accepts answers, its results afterwards.
struct MeetingStage {
    let details: HostReader.MeetingDetails
    /// The next other round of the series that has not begun.
    let coming: Meeting?
    /// The proposed times of a further round; nil for viewers, and if there are later rounds.
    let proposal: NextRound?

    private var meeting: Meeting { details.meeting }
    private var form: Form { details.form }
    private var isOver: Bool { isShut || meeting.state == "ended" }

    var isOpen: Bool { form.state == "open" }
    var isShut: Bool { form.state == "closed" || form.state == "final" }
    var isBefore: Bool { form.state == "draft" || form.state == "scheduled" }
    var isInviting: Bool { isOpen && !isOver }
    /// Whether the way to the form is folded up below the results.
    var isFolded: Bool { form.state != "draft" && (!isOpen || isOver) }
    var isFoldOpen: Bool { isOpen || form.state == "scheduled" }
    var hasResults: Bool { !isBefore || meeting.submissions > 0 }

    /// The next step once a meeting is over. One of the properties is set.
    struct Next: TemplateValues {
        struct Proposal: TemplateValues {
            var words: String
            var key: String
            var start: String
            var end: String
            var day: String?
        }

        struct Link: TemplateValues {
            var id: String
            var title: String
            var words: String
        }

        var proposal: Proposal?
        var coming: Link?
        var newest: Link?
    }

    /// A link to the coming round, a proposal for a further one, or a link to the newest round if there are later ones.
    func next(_ page: PageRequest) -> Next? {
        guard isOver, details.canEdit else { return nil }
        let texts = page.texts
        if let coming {
            let link = RoundLink(coming, nil, page)
            return Next(coming: .init(id: link.id, title: coming.title, words: link.words))
        }
        if let proposal {
            return Next(
                proposal: .init(
                    words: texts(details.rounds == 1 ? "meeting.next-first" : "meeting.next-more"),
                    key: SubmitToken.make(), start: proposal.start, end: proposal.end,
                    day: proposal.startsAt.map {
                        proposal.place.weekdayText($0, in: page.language, now: Date())
                    }))
        }
        return details.latest.map {
            Next(
                newest: .init(
                    id: "\($0.id)", title: $0.title, words: texts("meeting.round", ["round": "\($0.round)"])))
        }
    }
}

extension NextRound {
    /// After the newest rounds of a series, at a time that is free in the host's other meetings.
    static func proposed(after series: HostReader.SeriesAccess, _ reader: HostReader) async throws -> NextRound {
        let newest = try await reader.rounds(of: series, limit: rounds).rounds
        return try await free([NextRound(after: newest, now: Date())], for: reader)[0]
    }
}
