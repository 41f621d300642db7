import Domain

/// The texts of a chart.
extension Chart {
    /// The line below the heading: the number of answers and the summary.
    var factLine: String {
        var facts = asked + [result.answered == 0 ? "No answers yet" : answers]
        facts += abstentions
        if result.skipped > 0 { facts.append("\(NumberFormat.count(result.skipped)) skipped") }
        if let summary = result.summary {
            if let nps = summary.nps {
                let score = NumberFormat.short(nps.score)
                facts.append("NPS \(score)" + range(result.firstScoreInterval, NumberFormat.short))
            }
            if let mean = summary.mean { facts.append("mean \(NumberFormat.mean(mean))") }
            if let median = summary.median { facts.append("median \(NumberFormat.short(median))") }
        }
        if result.isRetired { facts.append("no longer asked") }
        return facts.joined(separator: " · ")
    }

    /// The number of those who were asked, if not everybody is.
    private var asked: [String] {
        result.isConditional ? ["\(NumberFormat.count(result.asked)) asked"] : []
    }

    /// The number of those who abstained, which are counted apart.
    private var abstentions: [String] {
        guard let label = result.abstain, result.abstained > 0 else { return [] }
        return ["\(plain(label)): \(NumberFormat.count(result.abstained))"]
    }

    var answers: String { "\(NumberFormat.count(result.answered)) \(result.answered == 1 ? "answer" : "answers")" }

    /// The notice in place of the chart, if everything is withheld.
    var withheldNotice: String {
        "Not shown yet: results appear in groups of at least \(withheld?.minimum ?? 0) submissions."
    }

    /// The notice above the chart, if newer submissions are withheld.
    var partlyWithheldNotice: String {
        guard let withheld else { return "" }
        return
            "Based on \(NumberFormat.count(withheld.shown)) submissions. Newer ones are added in groups of at least "
            + "\(withheld.minimum)."
    }

    /// All numbers of the chart as sentences, for screen readers.
    var accessibleDescription: String {
        if isFullyWithheld { return withheldNotice }
        var parts = asked + [result.answered == 0 ? "No answers yet" : answers]
        parts += abstentions
        if result.skipped > 0 { parts.append("\(NumberFormat.count(result.skipped)) skipped") }
        var sentences = [parts.joined(separator: ", ")]
        if result.answered > 0 {
            sentences.append(result.points.map { sentence(for: $0) }.joined(separator: "; "))
        }
        if let summary = result.summary, let mean = summary.mean {
            var sentence = "The mean is \(NumberFormat.mean(mean))" + range(result.firstMeanInterval, NumberFormat.mean)
            if let median = summary.median { sentence += ", the median \(NumberFormat.short(median))" }
            sentences.append(sentence)
            if let nps = summary.nps {
                sentences.append(
                    "The net promoter score is \(NumberFormat.short(nps.score))"
                        + range(result.firstScoreInterval, NumberFormat.short))
            }
        }
        if result.isRetired { sentences.append("This question is no longer asked") }
        if withheld != nil { sentences.append(String(partlyWithheldNotice.dropLast())) }
        return sentences.map { $0 + "." }.joined(separator: " ")
    }

    /// `The demo: 20 (54.1%)`. A right-to-left label is isolated so that it does not reorder the numbers.
    func sentence(for point: QuestionResult.Point) -> String {
        let label = plain(point.label)
        let isolated = TextFit.isRightToLeft(label) ? "\u{2068}\(label)\u{2069}" : label
        return "\(isolated): \(amount(point))"
    }

    /// `20 (54.1%)`
    func amount(_ point: QuestionResult.Point) -> String {
        let count = NumberFormat.count(point.count)
        return point.share.map { "\(count) (\(NumberFormat.percent($0)))" } ?? count
    }

    private func range(_ interval: Interval?, _ format: (Double) -> String) -> String {
        guard let interval else { return "" }
        let bounds = "\(format(interval.low)) to \(format(interval.high))"
        return switch result.room?.first {
        case .ifAlike: " (for everyone in the room \(bounds), if the rest are like those who answered; 95% interval)"
        case .certain: " (\(bounds) if everyone had answered)"
        case .known, .similarPeople, nil: " (95% interval \(bounds))"
        }
    }

    /// What the interval of the mean is about, below the line that shows it. Nil if it is about similar people.
    var roomStatement: String? {
        guard let room = result.room, result.answered > 0 else { return nil }
        let people = NumberFormat.count(room.people)
        return switch room.first {
        case .known: "All \(people) people answered"
        case .ifAlike: "For all \(people), if the rest are like those who answered"
        case .certain: "If all \(people) had answered"
        case .similarPeople: nil
        }
    }
}
