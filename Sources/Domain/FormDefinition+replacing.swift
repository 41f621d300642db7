import StrictJSON

extension FormDefinition {
    /// What this definition may not change of a published one.
    ///
    /// From publication on a question's kind and a rating's ends are fixed, also for a question that comes back after it
    /// was left out (`retired`: the questions of all versions, merged, newest first), and an option does not take the label of
    /// another one: its id would stand for what the other's did. From the first answer on the form's identity and
    /// anonymity and whether a choice is multiple are fixed too, and the minimum group only grows.
    public func faults(
        replacing published: FormDefinition, retired: [Question] = [], hasAnswers: Bool
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
        for (index, question) in questions.enumerated() {
            guard let older = known[question.key] else { continue }
            faults += question.faults(replacing: older, at: "/questions/\(index)", hasAnswers: hasAnswers)
        }
        return faults
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
            return (hasAnswers && new.multiple != old.multiple ? [.fixed(pointer + "/multiple", .answers)] : [])
                + new.faults(replacing: old, at: pointer + "/options")
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

extension Question.Choice {
    /// An option may be reworded, and a new one may be called as an old one was; but where a known id takes what another
    /// known id was called, options were taken for one another, and answers would change their meaning.
    fileprivate func faults(replacing older: Question.Choice, at pointer: String) -> [Fault] {
        let labels = Dictionary(older.options.map { ($0.id, $0.label) }, uniquingKeysWith: { first, _ in first })
        return options.enumerated().compactMap { index, option in
            guard let label = labels[option.id], label != option.label,
                older.options.contains(where: { $0.id != option.id && $0.label == option.label })
            else { return nil }
            return Fault(
                .invalid, at: "\(pointer)/\(index)/label", code: "label-of-another-option",
                "Another option has this label: its answers would seem to be this one's. Move options with their ids.")
        }
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
