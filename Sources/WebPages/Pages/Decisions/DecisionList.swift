import Contract
import HTTPAPI

/// Decisions as a list under a heading. The template is `decision-list`.
struct DecisionList: TemplateValues, Hashable {
    struct Item: TemplateValues, Hashable {
        var text: String
        /// The title of the question whose answers led to it.
        var about: String?
        var isDone: Bool
    }

    /// The round at which it was decided.
    struct Round: TemplateValues, Hashable {
        var path: String
        var label: String

        init(_ round: Decisions.OfRound) {
            (path, label) = ("/meetings/\(round.meetingId)/results", "#\(round.round) \(round.title)")
        }
    }

    var heading: String
    var round: Round?
    var items: [Item]
}

extension DecisionList {
    /// What was decided at an earlier round. Nil if there is nothing.
    ///
    /// - Parameter titles: The titles of questions by key.
    static func last(
        _ round: Decisions.OfRound?, titles: [String: String] = [:], _ texts: PageTexts
    ) -> DecisionList? {
        round.map { round in
            DecisionList(
                heading: texts("decisions.last"),
                round: Round(round),
                items: items(round.items, titles))
        }
    }

    /// What was decided at a meeting and before it, the earlier first.
    static func all(
        _ decisions: HostReader.MeetingDecisions, of results: Results, _ texts: PageTexts
    ) -> [DecisionList] {
        let titles = results.questions.reduce(into: [String: String]()) { $0[$1.key] = $1.title }
        let own = items(decisions.items, titles)
        return [
            last(decisions.previous, titles: titles, texts),
            own.isEmpty ? nil : DecisionList(heading: texts("decisions.ours"), items: own),
        ].compactMap(\.self)
    }

    private static func items(_ decisions: [Decision], _ titles: [String: String]) -> [Item] {
        decisions.map { Item(text: $0.text, about: $0.question.flatMap { titles[$0] }, isDone: $0.done == true) }
    }
}

/// What participants and the stage see of the decisions of an earlier round.
struct ShownDecisions: TemplateValues, Hashable {
    var heading: String
    var items: [DecisionList.Item]

    /// Nil if there is nothing.
    init?(_ decided: [PublicForm.Decided]?, _ texts: PageTexts) {
        guard let decided, !decided.isEmpty else { return nil }
        heading = texts("decisions.last")
        items = decided.map { .init(text: $0.text, isDone: $0.done) }
    }

    init?(_ round: Decisions.OfRound?, _ texts: PageTexts) {
        self.init(
            round?.items.filter { $0.shown == true }.map { .init(text: $0.text, done: $0.done == true) }, texts)
    }
}
