import Contract
import Foundation
import HTTPAPI

/// What a meeting's page shows first: the way to its form while people are to answer, what they said once it is over.
struct MeetingStage {
    let details: HostReader.MeetingDetails
    /// The nearest other round of the series that is yet to begin.
    let coming: Meeting?
    /// When the next round would be; nil for whoever may not make one, and where there are later ones.
    let proposal: NextRound?

    private var meeting: Meeting { details.meeting }
    private var form: Form { details.form }
    private var isOpen: Bool { form.state == "open" }
    private var isShut: Bool { form.state == "closed" || form.state == "final" }
    private var isOver: Bool { isShut || meeting.state == "ended" }

    func values(canEdit: Bool, _ page: PageRequest) -> [String: Any] {
        let isBefore = form.state == "draft" || form.state == "scheduled"
        var values: [String: Any] = [
            "isBefore": isBefore, "isInviting": isOpen && !isOver, "isAfter": !isBefore,
            "isFolded": form.state != "draft" && (!isOpen || isOver),
            "isFoldOpen": isOpen || form.state == "scheduled", "takesNone": isShut,
            "hasResults": !isBefore || meeting.submissions > 0,
            "hasDoor": canEdit && meeting.startsAt != nil,
        ]
        if form.state == "draft" {
            let questions = form.definition.questions.map { ["title": $0.title] }
            values["asks"] = questions.isEmpty ? nil : ["questions": questions]
        }
        if isOver, canEdit { values["next"] = next(page) }
        return values
    }

    /// From one meeting to the one that comes; else another one, or to the newest where there are later rounds.
    private func next(_ page: PageRequest) -> [String: Any]? {
        let texts = page.texts
        if let coming { return ["coming": SeriesStanding.link(coming, nil, page)] }
        if let proposal {
            let day = proposal.startsAt.map { proposal.place.weekdayText($0, in: page.language, now: Date()) }
            return [
                "isNewest": true, "key": SubmitToken.make(), "start": proposal.start, "end": proposal.end,
                "day": day ?? "", "words": texts(details.rounds == 1 ? "meeting.next-first" : "meeting.next-more"),
            ]
        }
        return details.latest.map {
            [
                "newest": [
                    "id": "\($0.id)", "title": $0.title, "round": texts("meeting.round", ["round": "\($0.round)"]),
                ]
            ]
        }
    }
}

extension NextRound {
    /// After the newest rounds of a series, where the host's other meetings leave room.
    static func proposed(after series: HostReader.SeriesAccess, _ reader: HostReader) async throws -> NextRound {
        let newest = try await reader.rounds(of: series, limit: rounds).rounds
        return try await free([NextRound(after: newest, now: Date())], for: reader)[0]
    }
}
