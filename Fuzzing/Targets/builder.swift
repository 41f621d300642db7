import Contract
import Domain
import Foundation
import StrictJSON

@testable import WebPages

extension FuzzTarget {
    /// The input of a host on a form's page, with the actions of buttons, and lists of people. A form that the API
    /// accepts is unchanged after the page has shown it and sent it again.
    static let builder: Run = { input in
        guard let (selector, rest) = input.choice else { return }
        if selector == 0 { return checkPeople(rest.text) }
        let fields = FormFields(rest.text)
        var form = FormBuilder(fields)
        for action in fields.values("act").prefix(5) {
            let effect = form.apply(action)
            law(effect.map { $0.number >= 0 && $0.count >= 0 } ?? true, "An effect has a place.")
            law(form.questions.count <= FormBuilder.maxQuestions, "The number of questions is limited.")
        }
        checkEnds(form)
        let zone = TimeZone.gmt
        guard let definition = try? FormDefinition(json: form.definition(zone: zone)) else { return }
        guard let body = try? ContractCoding.decoder().decode(FormBody.self, from: Data(definition.json.bytes)) else {
            return law(false, "The page reads what the API returns.")
        }
        let shown = FormBuilder(body, zone: zone)
        guard let again = try? FormDefinition(json: shown.definition(zone: zone)) else {
            return law(false, "A shown form is accepted.")
        }
        law(again == definition, "An unchanged form is sent as it was.")
    }

    /// Applies actions beyond the ends of the lists, for which a page has no buttons.
    private static func checkEnds(_ form: FormBuilder) {
        let last = form.questions.count - 1
        let actions = [
            "up:0", "down:\(last)", "move:0:\(last + 1)", "move:\(last):-1", "remove:\(last)", "copy:\(last + 1)",
            "option-up:0:0", "option-down:\(last):0", "option-remove:\(last):0", "option-remove:0:-1",
        ]
        for action in actions {
            var changed = form
            let effect = changed.apply(action)
            law(
                abs(changed.questions.count - form.questions.count) <= 1,
                "An action adds or removes at most one question.")
            law(
                effect != nil || changed.questions.count == form.questions.count,
                "An action without an effect keeps the number of questions.")
            guard effect != nil, let undo = changed.undos.last else { continue }
            law(FormBuilder.Undo(undo.text) != nil, "The page keeps what takes an action back.")
            law(changed.apply("undo") != nil, "An action is taken back.")
            func unfolded(_ form: FormBuilder) -> [FormBuilder.Question] {
                form.questions.map {
                    var question = $0; question.isFolded = false; return question
                }
            }
            law(unfolded(changed) == unfolded(form), "An action that is taken back has changed nothing.")
        }
    }

    private static func checkPeople(_ text: String) {
        let list = PeopleLines(text)
        law(list.people.count == list.lines.count, "Each person has a line.")
        var typed = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }[...]
        for line in list.lines {
            guard let place = typed.firstIndex(of: line) else { return law(false, "Lines are as typed, in order.") }
            typed = typed[(place + 1)...]
        }
    }
}
