import Contract
import Foundation

/// What a host can do with a meeting's form as it stands, and what its state means.
enum MeetingActs {
    static func values(_ meeting: Meeting, _ form: Form, _ zones: ZoneNames, _ page: PageRequest) -> [String: Any] {
        let texts = page.texts
        let isDraft = form.state == "draft"
        let hasQuestions = !form.definition.questions.isEmpty
        let isAnonymous = form.definition.anonymous == true
        var values: [String: Any] = [
            "isDraft": isDraft, "isOpen": form.state == "open", "isClosed": form.state == "closed" && !form.finalising,
            "isPublished": !isDraft, "hasQuestions": hasQuestions,
            "canFinish": form.state == "closed" && isAnonymous && !form.finalising,
            "meaning": meaning(meeting, form, zones, page), "hasImage": meeting.image != nil,
        ]
        values["anonymity"] = WhoAnswers(definition: form.definition, texts: texts).anonymity
        let facts = [
            meeting.startsAt.map { zones.text($0, in: meeting.timeZone, page.language) }, meeting.place,
            meeting.headcount.map { texts("acts.headcount", ["count": "\($0)"]) },
        ].compactMap { $0 }
        values["facts"] = facts.isEmpty ? nil : facts.joined(separator: " · ")
        return values
    }

    private static func meaning(_ meeting: Meeting, _ form: Form, _ zones: ZoneNames, _ page: PageRequest) -> String {
        let texts = page.texts
        func time(_ date: Date) -> String { zones.text(date, in: meeting.timeZone, page.language) }
        switch form.state {
        case "draft" where form.definition.questions.isEmpty: return texts("host.no-questions")
        case "draft" where form.definition.autoPublish == true: return texts("acts.draft-publishes")
        case "draft": return texts("acts.draft")
        case "scheduled": return form.opensAt.map { texts("acts.opens", ["time": time($0)]) } ?? ""
        case "open": return form.closesAt.map { texts("acts.closes", ["time": time($0)]) } ?? texts("acts.open")
        case "closed" where form.finalising: return texts("acts.finalising")
        case "closed": return texts("acts.closed")
        default: return texts("acts.final")
        }
    }
}
