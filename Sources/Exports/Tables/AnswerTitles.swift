import Domain

/// The titles of questions and the labels of options, for tables that people read.
struct AnswerTitles: Sendable {
    private var titles: [String: String] = [:]
    private var labels: [String: [String: String]] = [:]

    /// - Parameter questions: If several have the same key, the first one's title and labels are used, so pass the
    ///   newest first.
    init(_ questions: [Question]) {
        for question in questions {
            if titles[question.key] == nil { titles[question.key] = question.title }
            labels[question.key, default: [:]].merge(question.optionLabels) { first, _ in first }
        }
        for (key, options) in labels {
            // Options with the same label get their id appended, because a reader could not distinguish them.
            let counts = Dictionary(options.values.map { ($0, 1) }, uniquingKeysWith: +)
            for (id, label) in options where counts[label, default: 0] > 1 { labels[key]?[id] = "\(label) (\(id))" }
        }
    }

    func title(of key: String) -> String { titles[key] ?? key }

    func label(of option: String, in key: String) -> String { labels[key]?[option] ?? option }
}
