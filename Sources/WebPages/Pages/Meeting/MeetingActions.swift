import Contract
import Foundation

/// What a host can do with a meeting's form in its current state.
struct MeetingActions: TemplateValues {
    /// What the form's state means for the host and the participants.
    var meaning: String
    /// The number of answers, as text; nil before people can answer.
    var submissions: String?
    /// When the answers are deleted, or that they were; nil if they are kept.
    var retention: String?
    /// The titles of the questions.
    var questions: [String]
    var hasQuestions: Bool
    /// Whether the form was closed, so that its results are next.
    var hasEnded: Bool
    /// Whether the form can be opened again.
    var isClosed: Bool
    var canFinish: Bool
    /// How an anonymous form protects its respondents; nil for other forms.
    var anonymity: AnonymityNotice?

    init(_ meeting: Meeting, _ form: Form, canEdit: Bool, _ zones: ZoneNames, _ page: PageRequest) {
        let isClosed = form.state == "closed" && !form.finalising
        meaning = Self.meaning(meeting, form, canEdit: canEdit, zones, page)
        hasEnded = form.state == "closed" || form.state == "final"
        if hasEnded || form.state == "open" {
            submissions = page.texts("results.submissions", ["count": "\(meeting.submissions)"])
        }
        retention = RetentionText.ofForm(form, page.texts) { zones.text($0, in: meeting.timeZone, page.language) }
        questions = form.definition.questions.map(\.title)
        hasQuestions = !questions.isEmpty
        self.isClosed = isClosed
        canFinish = isClosed && form.definition.anonymous == true
        anonymity = WhoAnswers(definition: form.definition, texts: page.texts).anonymity
    }

    /// What the form's state means for the host and the participants.
    static func meaning(
        _ meeting: Meeting, _ form: Form, canEdit: Bool, _ zones: ZoneNames, _ page: PageRequest
    ) -> String {
        let texts = page.texts
        func time(_ date: Date) -> String { zones.text(date, in: meeting.timeZone, page.language) }
        switch form.state {
        case "draft" where form.definition.questions.isEmpty: return texts("host.no-questions")
        case "draft" where form.definition.autoPublish == true: return texts("acts.draft-publishes")
        case "draft": return texts("acts.draft")
        case "scheduled": return form.opensAt.map { texts("acts.opens", ["time": time($0)]) } ?? ""
        case "open": return form.closesAt.map { texts("acts.closes", ["time": time($0)]) } ?? texts("acts.open")
        case "closed" where form.finalising: return texts("acts.finalising")
        case "closed": return texts(canEdit ? "acts.closed" : "acts.closed-viewer")
        default: return texts("acts.final")
        }
    }
}

extension Meeting {
    /// The time, place and headcount in one line, each only if it is set. Nil if none is set.
    func facts(_ zones: ZoneNames, _ page: PageRequest) -> String? {
        let facts = [
            startsAt.map { zones.text($0, in: timeZone, page.language) }, place,
            headcount.map { page.texts("acts.headcount", ["count": "\($0)"]) },
        ].compactMap(\.self)
        return facts.isEmpty ? nil : facts.joined(separator: " · ")
    }
}
