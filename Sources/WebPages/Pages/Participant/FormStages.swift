import Contract
import Domain
import StrictJSON

/// The parts of a form whose questions depend on answers. Without JavaScript, the service makes a page for each part:
/// the questions of a part depend on earlier parts only.
struct StagedForm: Sendable {
    private let form: PreparedForm
    /// The part of each question, by its key.
    private let stages: [String: Int]
    let count: Int

    /// Nil if no question depends on an answer.
    init?(_ questions: [QuestionBody]) throws {
        guard questions.contains(where: { $0.showIf != nil }) else { return nil }
        let json = try questions.map { try JSONValue(encoding: $0) }
        let read = try FormDefinition.readQuestions(.array(json), isExpanded: true)
        var stages: [String: Int] = [:]
        var stage = 0
        for question in read {
            if question.showIf?.tests.contains(where: { stages[$0.question] == stage }) == true { stage += 1 }
            stages[question.key] = stage
        }
        (form, self.stages, count) = (PreparedForm(questions: read), stages, stage + 1)
    }

    func stage(of question: String) -> Int { stages[question] ?? 0 }

    /// The keys of the questions that are asked after these answers.
    func asked(_ answers: JSONValue?) -> Set<String> {
        let given = (answers?.members ?? []).filter { member in
            member.value.string.map { !$0.unicodeScalars.allSatisfy(\.properties.isWhitespace) } ?? true
        }
        return form.asked(.read(stored: .object(given), in: form))
    }

    /// The faults of the answers to the questions that are asked, up to a part.
    func faults(of answers: JSONValue?, through stage: Int) -> [Fault] {
        let asked = asked(answers)
        let given = (answers?.members ?? []).filter { asked.contains($0.name) }
        do {
            _ = try form.answers(from: .object(given))
            return []
        } catch {
            return error.faults.filter { fault in
                stages.contains { key, number in
                    number <= stage
                        && (fault.pointer == "/answers/\(key)" || fault.pointer.hasPrefix("/answers/\(key)/"))
                }
            }
        }
    }
}

/// What a page shows of a form whose questions depend on answers.
struct FormStages: TemplateValues {
    /// The number of the part that is shown without JavaScript, from 0; the number of parts after the last one.
    var number: Int
    var hasPrevious: Bool
    var hasNext: Bool
    /// Whether all questions were answered on the pages before.
    var isEnd: Bool
    var script: String

    /// Hides the questions that are not on the page of the sheet's part, and marks those that are asked anyway, which
    /// browsers with JavaScript show.
    init(_ form: StagedForm, _ sheet: FormSheet, _ questions: inout [FormQuestion], _ page: PageRequest) {
        let asked = form.asked(sheet.submission["answers"])
        number = min(max(sheet.stage, 0), form.count)
        let shown = number
        for index in questions.indices {
            let isAsked = asked.contains(questions[index].key)
            questions[index].isHidden = !isAsked || form.stage(of: questions[index].key) != shown
            questions[index].isAsked = isAsked
        }
        (hasPrevious, hasNext, isEnd) = (shown > 0, shown < form.count - 1, shown == form.count)
        script = page.kit.files.address("conditions.js")
    }
}

extension FormSheet {
    /// Goes to the next part of the form with a question that is asked, or to the previous one. Stays if an answer has
    /// a fault.
    mutating func turn(_ direction: String, in form: StagedForm) {
        let answers = submission["answers"]
        let asked = form.asked(answers)
        let current = min(max(stage, 0), form.count)
        func isShown(_ stage: Int) -> Bool { asked.contains { form.stage(of: $0) == stage } }
        guard direction != "back" else {
            stage = (0..<current).last(where: isShown) ?? 0
            return
        }
        let found = form.faults(of: answers, through: current)
        guard found.isEmpty else {
            faults = found.map { .init(pointer: $0.pointer, code: $0.code, detail: $0.detail) }
            showFirstFault(in: form)
            return
        }
        stage = (min(current + 1, form.count)..<form.count).first(where: isShown) ?? form.count
    }

    /// Goes to the first part with a fault.
    mutating func showFirstFault(in form: StagedForm) {
        let faulty = questionKeys.filter { key in
            faults.contains { $0.pointer == "/answers/\(key)" || $0.pointer.hasPrefix("/answers/\(key)/") }
        }
        if let first = faulty.map(form.stage).min() { stage = first }
    }
}
