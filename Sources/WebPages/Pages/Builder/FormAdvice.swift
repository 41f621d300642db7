import Foundation

/// A hint for the host about a form in the form builder. Advice never prevents saving.
struct FormAdvice: Equatable {
    /// The name of a text in the group `advice`.
    var text: String
    /// The index of the question that the advice is about; nil for advice about the form.
    var question: Int?

    /// The facts about the meeting that advice depends on.
    struct Setting {
        var headcount: Int?
        /// Whether anyone is on the attendee list.
        var hasAttendees = true
        var start: Date?
        var end: Date?
        var zone: TimeZone
        var now: Date
    }

    /// Above this number of questions, many participants do not send the form.
    private static let maxQuestions = 10

    static func on(_ form: FormBuilder, _ setting: Setting) -> [FormAdvice] {
        var advice: [FormAdvice] = []
        func note(_ text: String, if condition: Bool) { if condition { advice.append(FormAdvice(text: text)) } }
        note("many-questions", if: form.questions.count > maxQuestions)
        note("all-required", if: form.questions.count > 1 && form.questions.allSatisfy(\.required))
        if form.anonymous, let headcount = setting.headcount, headcount > 0 {
            let group = form.group
            note("group-never", if: group > headcount)
            note("group-few", if: group <= headcount && group * 3 > headcount)
        }
        note("nobody-listed", if: form.identity == "attendee" && !setting.hasAttendees)
        let opens = form.opens.resolved(start: setting.start, end: setting.end, zone: setting.zone)
        let closes = form.closes.resolved(start: setting.start, end: setting.end, zone: setting.zone)
        if let opens, let closes { note("closes-before-opens", if: closes <= opens) }
        if let closes { note("closes-past", if: closes <= setting.now && opens.map { $0 < closes } ?? true) }
        let isUndated = setting.start == nil
        note("opens-undated", if: isUndated && form.opens.isOffset)
        note("closes-undated", if: isUndated && form.closes.isOffset)
        note("publishes-undated", if: isUndated && form.autoPublish && form.opens.mode == "none")
        advice += form.neverAsked.map { FormAdvice(text: "never-asked", question: $0) }
        for (index, question) in form.questions.enumerated() {
            if question.tests.contains(where: { !form.isPossible($0, of: index) }) {
                advice.append(FormAdvice(text: "lost-condition", question: index))
            }
            advice += on(question, isAnonymous: form.anonymous).map { FormAdvice(text: $0, question: index) }
        }
        return advice
    }

    private static func on(_ question: FormBuilder.Question, isAnonymous: Bool) -> [String] {
        var names: [String] = []
        switch question.kind {
        case "text":
            if question.required { names.append("required-text") }
            if isAnonymous, asksWho(question.title) { names.append("asks-who") }
        case "rating":
            if !question.isNPS, question.minLabel.isEmpty, question.maxLabel.isEmpty { names.append("no-labels") }
        case "grid": break
        default:
            let count = question.sentOptions.count
            if count == 1, !question.other { names.append("one-option") }
            let labels = question.sentOptions.map { question.options[$0].label.lowercased() }
            if Set(labels).count < count { names.append("same-option") }
        }
        return names
    }

    private static func asksWho(_ title: String) -> Bool {
        let title = title.lowercased()
        return ["your name", "full name", "e-mail", "email", "phone", "이름", "성함", "이메일", "전화", "연락처"]
            .contains { title.contains($0) } || title.trimmingCharacters(in: .punctuationCharacters) == "name"
    }
}
