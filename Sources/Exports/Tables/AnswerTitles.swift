import Domain

/// What stands for question keys and option ids where people read a table.
public struct AnswerTitles: Sendable {
    private var titles: [String: String] = [:]
    private var labels: [String: [String: String]] = [:]

    /// - Parameter questions: The newest of a key first: its title and its labels win.
    public init(_ questions: [Question]) {
        for question in questions {
            if titles[question.key] == nil { titles[question.key] = question.title }
            labels[question.key, default: [:]].merge(question.optionLabels) { first, _ in first }
        }
        for (key, options) in labels {
            // Options of one label would be one answer to whoever reads it.
            let counts = Dictionary(options.values.map { ($0, 1) }, uniquingKeysWith: +)
            for (id, label) in options where counts[label, default: 0] > 1 { labels[key]?[id] = "\(label) (\(id))" }
        }
    }

    public func title(of key: String) -> String { titles[key] ?? key }

    public func label(of option: String, in key: String) -> String { labels[key]?[option] ?? option }
}
