import Contract

/// What became other about a question while people answered it, so that nobody reads two questions as one.
enum WordingChanges {
    /// Those that can change what an answer means; places and limits do not.
    static let told = [
        "added", "restored", "reworded", "described", "min-labelled", "max-labelled", "option-added",
        "option-retired", "option-restored", "option-reworded",
    ]

    static func values(_ changes: [QuestionChange], of key: String, _ page: PageRequest) -> [String: Any]? {
        let sentences = changes.filter { $0.key == key && told.contains($0.change) }.map { change in
            page.texts(
                "charts.changed-\(change.change)",
                ["time": page.time(change.at), "from": change.from ?? "", "to": change.to ?? ""])
        }
        return sentences.isEmpty ? nil : ["items": sentences.map { ["text": $0] }]
    }
}
