import Contract

/// What a form needs that shows one question at a time. Without JavaScript all questions are below each other.
///
/// The server chooses the first question, so that nothing on the page moves when the script begins.
struct FormSteps: TemplateValues {
    /// The number of the question that is shown first, from 1.
    var number: Int
    var count: Int
    /// The number of the question and their count, as a sentence.
    var progress: String
    /// Whether questions precede the one that is shown first.
    var isLater: Bool
    var isLast: Bool
    var script: String

    /// Marks the question that is shown first: the first one with faults, or else the first one. Nil for a form that
    /// shows all questions at once, and for a single question.
    init?(_ form: PublicForm, _ questions: inout [FormQuestion], _ page: PageRequest) {
        guard form.oneByOne, questions.count > 1 else { return nil }
        let asked = questions.indices.filter { questions[$0].isAsked }
        let place = asked.firstIndex { questions[$0].hasFaults } ?? 0
        if !asked.isEmpty { questions[asked[place]].isCurrent = true }
        (number, count) = (place + 1, asked.count)
        progress = page.texts("form.step", ["number": "\(number)", "count": "\(count)"])
        (isLater, isLast) = (place > 0, place == asked.count - 1)
        script = page.kit.files.address("steps.js")
    }
}
