import Contract

/// A summary of the results, with one line for each of the first questions.
enum ResultsBrief {
    private static let maxLines = 6

    struct Line: TemplateValues {
        var title: String
        var value: String
    }

    static func lines(_ results: Results, _ page: PageRequest) -> [Line] {
        results.questions.filter { $0.retired != true }.prefix(maxLines).compactMap { result in
            value(of: result, page.texts).map { Line(title: result.title, value: $0) }
        }
    }

    /// Says how many questions with results the lines leave out; nil if none.
    static func rest(_ results: Results, _ page: PageRequest) -> String? {
        let rest = results.questions.filter { $0.retired != true }.dropFirst(maxLines)
        let count = rest.filter { value(of: $0, page.texts) != nil }.count
        return count > 0 ? page.texts("charts.brief-rest", ["count": "\(count)"]) : nil
    }

    static func value(of result: QuestionResults, _ texts: PageTexts) -> String? {
        guard result.answered > 0 else { return nil }
        if let number = number(of: result, texts) { return number }
        return result.kind == "choice" ? mostFrequent(of: result, texts) : texts.answers(result.answered)
    }

    /// The net promoter score or the mean. Nil if the question has neither.
    static func number(of result: QuestionResults, _ texts: PageTexts) -> String? {
        if let nps = result.summary?.nps { return texts("results.nps", ["score": NumberText.score(nps.score)]) }
        return result.summary?.mean.map { mean in
            let text = texts("results.mean", ["mean": NumberText.decimal(mean, in: texts.language)])
            guard result.minLabel != nil || result.maxLabel != nil, let ends = ScaleBar.ends(of: result) else {
                return text
            }
            return "\(text) (\(ends.low) – \(ends.high))"
        }
    }

    /// The most frequent answer. If two answers are tied, both are named. If more are tied, only their number is shown.
    static func mostFrequent(of result: QuestionResults, _ texts: PageTexts) -> String? {
        let points = result.points ?? []
        let highest = points.map(\.count).max()
        let tied = points.filter { $0.count == highest }
        guard let share = tied.first?.share.map(NumberText.percent) else { return nil }
        let names = tied.map { ResultsFilter.label(of: $0, in: result, texts) }
        return switch tied.count {
        case 1: "\(names[0]) (\(share))"
        case 2: texts("charts.two-first", ["first": names[0], "second": names[1], "share": share])
        default: texts("charts.tied-first", ["count": "\(tied.count)", "share": share])
        }
    }
}

/// The response rate as a ring with the percentage in its centre.
struct ResponseRing: TemplateValues, Hashable {
    var percent: String
    /// The length of the arc, out of 100.
    var arcLength: String
    var label: String

    /// Nil if the number of people who could answer is unknown, or below that of answers.
    init?(_ results: Results, _ page: PageRequest) { self.init(results, page.texts) }

    init?(_ results: Results, _ texts: PageTexts) {
        guard let rate = results.responseRate, rate <= 1, let base = results.responseBase else { return nil }
        let people = base == "headcount" ? results.headcount ?? 0 : results.attended
        percent = NumberText.percent(rate)
        arcLength = "\(Int((max(rate, 0) * 100).rounded()))"
        label = texts(
            base == "headcount" ? "charts.of-headcount" : "charts.of-attended",
            ["count": "\(results.submissions)", "people": "\(people)"])
    }

    /// Says how many people there are, and how that is known, if there are more submissions. Nil if there are not.
    static func exceededNotice(_ results: Results, _ texts: PageTexts) -> String? {
        guard let room = results.room, room.exceeded else { return nil }
        return texts("room.exceeded-\(room.base)", ["count": "\(room.people)"])
    }
}
