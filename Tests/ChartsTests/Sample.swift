import Charts
import Domain

/// Questions and results for charts.
enum Sample {
    static let pace = Question(
        key: "pace", title: "How was the pace?", kind: .rating(.init(minLabel: "too slow", maxLabel: "too fast")))
    static let paceCounts = ["2": 2, "3": 11, "4": 17, "5": 6, "#answered": 36, "#skipped": 1]

    static func choice(_ labels: [String], multiple: Bool = false, other: Bool = false) -> Question {
        let options = labels.enumerated().map { Question.Option(id: "o\($0)", label: $1) }
        return Question(
            key: "topics", title: "What helped?",
            kind: .choice(.init(options: options, multiple: multiple, other: other)))
    }

    /// The counts of the options `o0`, `o1` and so on. Each answer has one option.
    static func counts(_ counts: [Int]) -> [String: Int] {
        var buckets = ["#answered": counts.reduce(0, +)]
        for (index, count) in counts.enumerated() { buckets["o\(index)"] = count }
        return buckets
    }

    static func chart(
        _ question: Question, _ counts: [String: Int], meeting: String = "Retro", withheld: Chart.Withheld? = nil,
        shape: Chart.Shape? = nil, width: Int = 640
    ) throws -> Chart {
        let result =
            withheld?.shown == 0
            ? QuestionResult.withheld(question: question) : QuestionResult.make(question: question, counts: counts)
        guard
            let chart = Chart(
                of: result, meeting: meeting, withheld: withheld, shape: shape, width: width,
                name: Chart.name(of: result, inMeeting: "0190f3c2-7b1e-7c4d-9a55-2f6d1c0e8b11"))
        else { throw NoChart() }
        return chart
    }

    struct NoChart: Error {}

    static func picture(
        _ question: Question, _ counts: [String: Int], meeting: String = "Retro", withheld: Chart.Withheld? = nil,
        shape: Chart.Shape? = nil, width: Int = 640
    ) throws -> ParsedPicture {
        try ParsedPicture(
            chart(question, counts, meeting: meeting, withheld: withheld, shape: shape, width: width).svg())
    }
}
