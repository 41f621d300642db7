import StrictJSON

extension FormDefinition {
    /// What this definition may not change of a published one.
    ///
    /// From publication on a question's kind and a rating's ends are fixed, also for a question that comes back after it
    /// was left out (`retired`: the questions of all versions, merged, newest first), and an option does not take a label
    /// that another one had in any version (`labels`): its id would stand for what the other's did. From the first answer on the form's identity and
    /// anonymity and whether a choice is multiple are fixed too, and the minimum group only grows.
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

    /// Whether an answer that somebody gives by an older version is no longer what they were promised, or has no place:
    /// they were told that it is anonymous, could choose several options where now there is one, or are known in another
    /// way, so that they could answer once by each version. Only possible before the first answer.
    ///
    /// - Parameter older: the questions of all older versions, merged.
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

    /// This question with what an older version of it had besides, so that old answers still find their bucket: the new
    /// wording and order, then retired options.
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
            Fault(.invalid, at: pointer, code: since.rawValue, "This cannot change once the form was published.")
        case .answers: Fault(.invalid, at: pointer, code: since.rawValue, "This cannot change after the first answer.")
        }
    }
}
