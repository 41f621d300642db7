import StrictJSON

extension FormDefinition {
    /// Returns the errors for changes that are not allowed once the form has been published.
    ///
    /// After publication, a question's kind and the bounds of a rating can't change, even if the question was removed
    /// and returns later. An existing option can't be given a label that another option had in any version, because it
    /// would take over the other option's meaning.
    ///
    /// After the first answer, the form's identity and anonymity can't change either, and a single choice can't become
    /// multiple or vice versa. The minimum group can only be raised.
    ///
    /// - Parameters:
    ///   - published: The definition to replace.
    ///   - retired: The questions of all published versions, merged, newest first.
    ///   - labels: The labels that options had in any published version.
    ///   - hasAnswers: Whether the form has answers.
    public func faults(
        replacing published: FormDefinition, retired: [Question] = [], labels: OptionLabels = OptionLabels(),
        hasAnswers: Bool
    ) -> [Fault] {
        var faults: [Fault] = []
        if hasAnswers {
            if identity != published.identity { faults.append(.fixedAfterAnswers("/identity")) }
            if anonymous != published.anonymous { faults.append(.fixedAfterAnswers("/anonymous")) }
            if minimumGroup < published.minimumGroup {
                faults.append(
                    Fault(
                        .invalid, at: "/minimumGroup", code: "only-raised",
                        "After the first answer the minimum group can only be raised."))
            }
        }
        let known = Dictionary(
            (retired + published.questions).map { ($0.key, $0) }, uniquingKeysWith: { newest, _ in newest })
        faults += totalFaults(adding: known)
        var labels = labels
        for question in known.values { labels.add(question) }
        let pointers = Question.pointers(questions).map { "/questions" + $0.shared }
        for (index, question) in questions.enumerated() {
            guard let older = known[question.key] else { continue }
            // The statements of a grid share its scale, whose fault is reported once.
            let found = question.faults(replacing: older, at: pointers[index], hasAnswers: hasAnswers)
            faults += found.filter { fault in !faults.contains { $0.pointer == fault.pointer } }
            faults += labels.faults(of: question, at: pointers[index])
        }
        return faults
    }

    /// Returns faults if this definition adds questions or options to those of older versions and thereby exceeds a
    /// limit on their total.
    private func totalFaults(adding known: [String: Question]) -> [Fault] {
        var combined = known
        for question in questions { combined[question.key] = known[question.key].map(question.merged) ?? question }
        func options(_ questions: [String: Question]) -> Int { questions.values.reduce(0) { $0 + $1.optionCount } }
        func bytes(_ questions: [String: Question]) -> Int { questions.values.reduce(0) { $0 + $1.wordingBytes } }
        return [
            Self.fault("questions", known.count, combined.count, limit: Limits.questionsOfAllVersions),
            Self.fault("options", options(known), options(combined), limit: Limits.optionsOfAllVersions),
            Self.fault(
                "bytes of titles and labels", bytes(known), bytes(combined), limit: Limits.wordingOfAllVersions),
        ].compactMap { $0 }
    }

    private static func fault(_ name: String, _ before: Int, _ after: Int, limit: Int) -> Fault? {
        guard after > limit, after > before else { return nil }
        return Fault(
            .invalid, at: "/questions", code: "too-many",
            """
            All versions of a form together have at most \(limit) \(name), because its results show them all. With this \
            change they would have \(after).
            """)
    }

    /// Whether answers to older versions can no longer be accepted. This applies if participants were promised
    /// anonymity that is now missing, if they could choose several options of what is now a single choice, or if they
    /// are now identified in another way and could therefore answer each version once. Such a change is possible only
    /// before the first answer.
    ///
    /// - Parameters:
    ///   - published: The definition that was published last.
    ///   - older: The questions of all older versions, merged.
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
    fileprivate var optionCount: Int {
        guard case .choice(let choice) = kind else { return 0 }
        return choice.options.count
    }

    /// The size of the title and the labels.
    fileprivate var wordingBytes: Int {
        let labels: [String?]
        switch kind {
        case .choice(let choice): labels = choice.options.map(\.label)
        case .rating(let rating): labels = [rating.minLabel, rating.maxLabel, rating.abstain]
        case .text: labels = []
        }
        return labels.reduce(title.utf8.count) { $0 + ($1?.utf8.count ?? 0) }
    }

    fileprivate func faults(replacing older: Question, at pointer: String, hasAnswers: Bool) -> [Fault] {
        switch (kind, older.kind) {
        case (.text, .text): return []
        case (.rating(let new), .rating(let old)):
            return (new.min == old.min ? [] : [.fixedOncePublished(pointer + "/min")])
                + (new.max == old.max ? [] : [.fixedOncePublished(pointer + "/max")])
        case (.choice(let new), .choice(let old)):
            return hasAnswers && new.multiple != old.multiple ? [.fixedAfterAnswers(pointer + "/multiple")] : []
        default: return [.fixedOncePublished(pointer + "/kind")]
        }
    }

    /// This question with the options and the abstention of an older version added, so that old answers keep their
    /// buckets. The wording and the order are those of this question. Retired options come last.
    public func merged(with older: Question) -> Question {
        if case .rating(var rating) = kind, case .rating(let old) = older.kind, rating.abstain == nil {
            rating.abstain = old.abstain
            var merged = self
            merged.kind = .rating(rating)
            return merged
        }
        guard case .choice(var choice) = kind, case .choice(let old) = older.kind else { return self }
        let ids = Set(choice.options.map(\.id))
        choice.options += old.options.filter { !ids.contains($0.id) }
        choice.other = choice.other || old.other
        var merged = self
        merged.kind = .choice(choice)
        return merged
    }
}

extension Fault {
    fileprivate static func fixedOncePublished(_ pointer: String) -> Fault {
        Fault(
            .invalid, at: pointer, code: "fixed-once-published",
            "This cannot change once the form has been published.")
    }

    fileprivate static func fixedAfterAnswers(_ pointer: String) -> Fault {
        Fault(.invalid, at: pointer, code: "fixed-after-answers", "This cannot change after the first answer.")
    }
}
