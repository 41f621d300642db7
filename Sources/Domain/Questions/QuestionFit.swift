/// How the questions of imported answers fit the questions of a published version.
public enum QuestionFit: Sendable, Equatable {
    /// Every possible answer is valid for the version.
    case covered
    /// Every possible answer would be valid for these questions, which are those of the version with more options.
    case wider([Question])
    /// The keys of questions that differ, or would have too many options together, sorted.
    case different([String])

    /// Compares the questions that were asked with those of a published version. The order of questions and options
    /// does not matter, nor do options of the version that were not offered.
    public static func comparing(_ asked: [Question], with published: [Question]) -> QuestionFit {
        let publishedByKey = Dictionary(published.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        var different = Set(publishedByKey.keys).subtracting(asked.map(\.key))
        var widened: [String: Question] = [:]
        for question in asked {
            guard let known = publishedByKey[question.key], let union = union(known, question) else {
                different.insert(question.key)
                continue
            }
            if union != known { widened[question.key] = union }
        }
        if !different.isEmpty { return .different(different.sorted()) }
        return widened.isEmpty ? .covered : .wider(published.map { widened[$0.key] ?? $0 })
    }

    /// Returns the question with the options, or the abstention, of the other question added. Returns nil if anything
    /// else differs, if the same option id or the abstention has another label, or if there would be too many options.
    private static func union(_ question: Question, _ other: Question) -> Question? {
        if case .rating(var rating) = question.kind, case .rating(var otherRating) = other.kind {
            let abstain = rating.abstain ?? otherRating.abstain
            guard otherRating.abstain == nil || otherRating.abstain == abstain else { return nil }
            (rating.abstain, otherRating.abstain) = (abstain, abstain)
            var (union, asked) = (question, other)
            (union.kind, asked.kind) = (.rating(rating), .rating(otherRating))
            return union == asked ? union : nil
        }
        guard case .choice(var choice) = question.kind, case .choice(let otherChoice) = other.kind else {
            return question == other ? question : nil
        }
        for option in otherChoice.options {
            guard let existing = choice.options.first(where: { $0.id == option.id }) else {
                choice.options.append(option)
                continue
            }
            if existing != option { return nil }
        }
        var (union, asked) = (question, other)
        union.kind = .choice(choice)
        asked.kind = union.kind
        guard union == asked, choice.options.count <= Limits.options else { return nil }
        choice.options = otherChoice.options
        return otherChoice == choice ? union : nil
    }
}
