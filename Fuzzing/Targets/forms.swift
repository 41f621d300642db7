import Foundation
import StrictJSON

@testable import Domain

extension FuzzTarget {
    /// Definitions of forms, and the other bodies that hosts send. A stored form is read as the form that was accepted.
    static let forms: Run = { input in
        guard let (selector, rest) = input.choice, let json = try? JSONValue.parse(rest.bytes) else { return }
        guard selector % 4 != 0 else { return readDrafts(json) }
        let definition: FormDefinition
        do throws(Problem) {
            definition = try FormDefinition(json: json)
        } catch {
            return law(!error.faults.isEmpty, "A refusal has a fault.")
        }
        guard let again = try? FormDefinition(json: definition.json) else {
            return law(false, "A stored form is accepted.")
        }
        law(again == definition && again.json.bytes == definition.json.bytes, "A stored form is read as it was.")
        checkQuestions(definition.questions)
        let form = PreparedForm(definition)
        law(Set(form.tallyKeys).count == form.tallyKeys.count, "Each count has its own key.")
        for question in definition.questions {
            law((try? Question(stored: question.json)) == question, "A stored question is read as it was.")
        }
        _ = try? form.answers(from: json)
        let never = NeverAsked.keys(in: definition.questions)
        law(never.isSubset(of: definition.questions.filter { $0.showIf != nil }.map(\.key)), "Only conditions forbid.")
        _ = definition.questionSet
        _ = definition.opens?.resolved(start: nil, end: .distantPast)
        _ = definition.closes?.resolved(start: .now, end: nil)
    }

    private static func checkQuestions(_ questions: [Question]) {
        law(Set(questions.map(\.key)).count == questions.count, "Each question has its own key.")
        for question in questions {
            switch question.kind {
            case .rating(let rating): law(rating.min < rating.max, "A rating has several values.")
            case .choice(let choice):
                law(Set(choice.options.map(\.id)).count == choice.options.count, "Each option has its own id.")
            case .text(let maxLength): law(maxLength > 0, "A text may have a character.")
            }
        }
    }

    /// Passes the input to the readers of all other request bodies.
    private static func readDrafts(_ json: JSONValue) {
        let last = MeetingDraft(title: "Last")
        let passwords = PasswordRules(maxBytes: 100) { $0 == "0123456789" }
        if let meeting = try? MeetingDraft.read(json) {
            law(!Limits.isBlank(meeting.title), "A meeting has a title.")
            law((meeting.startsAt == nil) == (meeting.endsAt == nil), "A meeting has both times or neither.")
            if let start = meeting.startsAt, let end = meeting.endsAt { law(start < end, "The end is later.") }
        }
        _ = try? MeetingDraft.read(json, changing: last)
        _ = try? NextRound.read(json, after: last, asking: FormDefinition())
        _ = try? SeriesChange.read(json)
        _ = try? ShareDraft.read(json).expiry(now: .distantPast)
        _ = try? JoinCodeDraft.read(json)
        _ = try? InvitationDraft.read(json).expiry(now: .distantPast)
        _ = try? TokenDraft.read(json, known: ["admin"])
        _ = try? SignUp.read(json, passwords: passwords)
        _ = try? ProfileEdit.read(json, of: EmailAddress("ann@example.org"), passwords: passwords)
        _ = try? CoHostDraft.read(json)
        _ = try? SeriesTransfer.read(json)
        _ = try? MemberDraft.readSome(json)
        _ = try? MemberDraft.readList(json)
        _ = try? MemberChange.read(json)
        _ = try? MemberChange.readAddresses(json)
        _ = try? WebhookDraft.read(json, known: ["form.closed"], targets: WebhookTargets())
        _ = try? Condition.read(["\(json.string ?? "")"], among: [], atMost: 1)
    }
}
