import Contract
import Foundation

/// What a host can do with a meeting's form as it stands, and what its state means.
enum MeetingActs {
    static func values(_ meeting: Meeting, _ form: Form, _ page: PageRequest) -> [String: Any] {
        let texts = page.texts
        let isDraft = form.state == "draft"
        let hasQuestions = !form.definition.questions.isEmpty
        let isAnonymous = form.definition.anonymous == true
        var values: [String: Any] = [
            "isDraft": isDraft, "isOpen": form.state == "open", "isClosed": form.state == "closed" && !form.finalising,
            "isPublished": !isDraft, "hasQuestions": hasQuestions,
            "canFinish": form.state == "closed" && isAnonymous && !form.finalising,
            "meaning": meaning(form, hasQuestions: hasQuestions, page), "hasPlace": meeting.place != nil,
            "where": meeting.place ?? "", "hasImage": meeting.image != nil,
        ]
        if let start = meeting.startsAt { values["when"] = LocalTime(meeting.timeZone).text(start, in: page.language) }
        if let headcount = meeting.headcount {
            values["people"] = texts("acts.headcount", ["count": "\(headcount)"])
        }
        return values
    }

    private static func meaning(_ form: Form, hasQuestions: Bool, _ page: PageRequest) -> String {
        let texts = page.texts
        switch form.state {
        case "draft" where !hasQuestions: return texts("host.no-questions")
        case "draft" where form.definition.autoPublish == true: return texts("acts.draft-publishes")
        case "draft": return texts("acts.draft")
        case "scheduled": return form.opensAt.map { texts("acts.opens", ["time": page.time($0)]) } ?? ""
        case "open": return form.closesAt.map { texts("acts.closes", ["time": page.time($0)]) } ?? texts("acts.open")
        case "closed" where form.finalising: return texts("acts.finalising")
        case "closed": return texts("acts.closed")
        default: return texts("acts.final")
        }
    }
}
