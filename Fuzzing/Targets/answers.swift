import StrictJSON

@testable import Domain

extension FuzzTarget {
    /// Submissions to a form with every kind of question: accepted answers obey the form's rules. Stored answers are
    /// read as the same answers, and are accepted again.
    static let answers: Run = { input in
        guard let json = try? JSONValue.parse(input.bytes) else { return }
        do throws(Problem) {
            let answers = try Sample.form.answers(from: json)
            checkStorage(of: answers)
            checkRules(answers)
            checkTally(answers)
        } catch {
            law(!error.faults.isEmpty, "A refusal has a fault.")
            law(error.faults.allSatisfy { isPointer($0.pointer) }, "A fault has a JSON pointer.")
        }
        // Stored answers are read without validation.
        _ = Sample.form.tally(Answers.read(stored: json, in: Sample.form))
    }

    private static func checkStorage(of answers: Answers) {
        let text = answers.text
        law(isSame(text, answers.json.text), "Both encodings are the same.")
        guard let stored = try? JSONValue.parse(text) else { return law(false, "Stored answers are JSON.") }
        let read = Answers.read(stored: stored, in: Sample.form)
        law(read == answers && isSame(read.text, text), "Stored answers are read as they were.")
        law((try? Sample.form.answers(from: stored)) == answers, "Stored answers are accepted again.")
    }

    private static func checkRules(_ answers: Answers) {
        var keys: Set<String> = []
        for entry in answers.entries {
            law(keys.insert(entry.key).inserted, "A question is answered once.")
            guard let question = Sample.form.question(entry.key) else { return law(false, "The question exists.") }
            law(Sample.allows(entry.answer, to: question.kind), "The answer obeys the rules of \(question.key).")
        }
        for question in Sample.form.questions where question.required {
            law(keys.contains(question.key), "A required question is answered.")
        }
    }

    private static func checkTally(_ answers: Answers) {
        let increments = Sample.form.increments(answers)
        law(increments.others.isEmpty, "Accepted answers have only buckets of this version.")
        let counted = increments.keys.filter { [TallyKey.answered, TallyKey.skipped].contains($0.bucket) }
        law(
            counted.map(\.question) == Sample.form.questions.map(\.key).sorted(),
            "Each question counts as either answered or skipped.")
        law(Set(increments.keys).count == increments.keys.count, "A submission counts once in a bucket.")
    }
}

private enum Sample {
    static let form = PreparedForm(questions: [
        Question(key: "pace", title: "Pace", required: true, kind: .rating(.init())),
        Question(key: "again", title: "Again", kind: .rating(.init(min: 0, max: 10, metric: .nps))),
        Question(key: "role", title: "Role", kind: .choice(.init(options: options))),
        Question(key: "team", title: "Team", kind: .choice(.init(options: options, other: true))),
        Question(
            key: "topics", title: "Topics",
            kind: .choice(.init(options: options, multiple: true, minSelections: 1, maxSelections: 3, other: true))),
        Question(key: "any", title: "Any", kind: .choice(.init(options: options, multiple: true))),
        Question(key: "word", title: "Word", kind: .text(maxLength: 5)),
        Question(key: "better", title: "Better", kind: .text(maxLength: 1000)),
    ])

    private static let options = ["a", "b", "c", "d"].map { Question.Option(id: $0, label: $0) }

    static func allows(_ answer: Answer, to kind: Question.Kind) -> Bool {
        switch (answer, kind) {
        case (.rating(let rating), .rating(let rule)): return rule.min...rule.max ~= rating
        case (.text(let text), .text(let limit)): return isText(text, atMost: limit)
        case (.choice(let ids, let other), .choice(let rule)):
            let count = ids.count + (other == nil ? 0 : 1)
            return Set(ids).count == ids.count && Set(ids).isSubset(of: rule.options.map(\.id))
                && (other.map { rule.other && isText($0, atMost: 1000) } ?? true)
                && (rule.multiple
                    ? max(1, rule.minSelections)...(rule.maxSelections ?? .max) ~= count : count == 1)
        default: return false
        }
    }

    private static func isText(_ text: String, atMost limit: Int) -> Bool {
        !text.utf8.contains(0) && text.count <= limit && text.unicodeScalars.contains { !$0.properties.isWhitespace }
    }
}
