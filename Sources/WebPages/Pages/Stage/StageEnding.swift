import Contract

extension StagePage.Headline {
    /// The largest number of headlines, so that a room reads them at a glance.
    private static let maxHeadlines = 3

    /// The headlines of the first questions that have one: recommendations before other ratings, and these before
    /// choices.
    static func first(_ results: Results, _ texts: PageTexts) -> [Self] {
        let questions = results.questions.filter { $0.retired != true }
        let scores = questions.filter { $0.summary?.nps != nil }
        let ratings = questions.filter { $0.summary?.nps == nil && $0.summary?.mean != nil }
        let others = questions.filter { $0.summary == nil }
        return Array((scores + ratings + others).lazy.compactMap { Self($0, texts) }.prefix(maxHeadlines))
    }

    /// Nil for a question without answers, and for texts.
    private init?(_ result: QuestionResults, _ texts: PageTexts) {
        guard result.answered > 0 else { return nil }
        title = result.title
        if let nps = result.summary?.nps {
            (number, caption) = (NumberText.score(nps.score), texts("stage.nps"))
        } else if let mean = result.summary?.mean {
            number = NumberText.decimal(mean, in: texts.language)
            caption = ScaleBar.ends(of: result).map { "\($0.low) – \($0.high)" } ?? texts("stage.mean")
        } else if result.kind == "choice", let first = ResultsBrief.mostFrequent(of: result, texts) {
            // The percentage stays on one line.
            (number, isLong) = (first.replacing(" %", with: "\u{A0}%"), true)
        } else {
            return nil
        }
    }
}
