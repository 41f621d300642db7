import StrictJSON

extension FormDefinition {
    /// Returns the errors of changes that a published definition does not allow.
    ///
    /// From publication, a question's kind and the ends of a rating are fixed, also for a question that returns after
    /// it was left out (`retired`: the questions of all versions, merged, newest first). An option must not take a
    /// label that another one had in any version (`labels`), because its id would take over the other's meaning.
    ///
    /// From the first answer, the form's identity and anonymity, and whether a choice is multiple, are fixed too, and
    /// the minimum group can only grow.
    public func faults(
        replacing published: FormDefinition, retired: [Question] = [], labels: OptionLabels = OptionLabels(),
        hasAnswers: Bool
    ) -> [Fault] {
        var faults: [Fault] = []
        if hasAnswers {
            if identity != published.identity { faults.append(.fixed("/identity", .answers)) }
            if anonymous != published.anonymous { faults.append(.fixed("/anonymous", .answers)) }
            if minimumGroup < published.minimumGroup {
                faults.append(
                    Fault(
                        .invalid, at: "/minimumGroup", code: "only-raised",
                        "After the first answer the minimum group can only be raised."))
            }
        }
        let known = Dictionary(
            (retired + published.questions).map { ($0.key, $0) }, uniquingKeysWith: { newest, _ in newest })
        var labels = labels
        for question in known.values { labels.add(question) }
        for (index, question) in questions.enumerated() {
            guard let older = known[question.key] else { continue }
            let pointer = "/questions/\(index)"
            faults += question.faults(replacing: older, at: pointer, hasAnswers: hasAnswers)
            faults += labels.faults(of: question, at: pointer)
        }
        return faults
    }

    /// Whether answers to an older version can no longer be accepted: participants were promised anonymity, could
    /// choose several options where now there is one, or are identified in another way, so that they could answer each
    /// version once. Only possible before the first answer.
    ///
    /// - Parameter older: The questions of all older versions, merged.
    public func outdates(_ published: FormDefinition?, asking older: [Question]) -> Bool {
        guard let published else { return false }
        if published.anonymous, !anonymous { return true }
        if identity != published.identity { return true }
        return questions.contains { question in
            guard case .choice(let new) = question.kind else { return false }
            return older.contains { old in
                guard old.key == question.key, case .choice(let choice) = old.kind else { return false }
                return choice.multiple && !new.multiple
            }
        }
    }
}

extension Question {
    fileprivate func faults(replacing older: Question, at pointer: String, hasAnswers: Bool) -> [Fault] {
        switch (kind, older.kind) {
        case (.text, .text): return []
        case (.rating(let new), .rating(let old)):
            return (new.min == old.min ? [] : [.fixed(pointer + "/min", .publication)])
                + (new.max == old.max ? [] : [.fixed(pointer + "/max", .publication)])
        case (.choice(let new), .choice(let old)):
            return hasAnswers && new.multiple != old.multiple ? [.fixed(pointer + "/multiple", .answers)] : []
        default: return [.fixed(pointer + "/kind", .publication)]
        }
    }

    /// This question with the options of an older version added, so that old answers keep their bucket: the new wording
    /// and order, then retired options.
    public func merged(with older: Question) -> Question {
        guard case .choice(var choice) = kind, case .choice(let old) = older.kind else { return self }
        let ids = Set(choice.options.map(\.id))
        choice.options += old.options.filter { !ids.contains($0.id) }
        choice.other = choice.other || old.other
        var merged = self
        merged.kind = .choice(choice)
        return merged
    }
}

private enum FixedSince: String {
    case publication = "fixed-once-published"
    case answers = "fixed-after-answers"
}

extension Fault {
    fileprivate static func fixed(_ pointer: String, _ since: FixedSince) -> Fault {
        switch since {
        case .publication:
            Fault(.invalid, at: pointer, code: since.rawValue, "This cannot change once the form has been published.")
        case .answers: Fault(.invalid, at: pointer, code: since.rawValue, "This cannot change after the first answer.")
        }
    }
}
