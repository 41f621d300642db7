import Contract

/// The results of a meeting for its hosts.
struct HostResultsPage: PageModel {
    struct Question: TemplateValues {
        /// A text answer that a host can hide.
        struct Text: TemplateValues {
            var text: String
            var answerId: String
        }

        var key: String
        var numbers: QuestionNumbers
        var changes: WordingChanges.Values?
        var hasPicture: Bool
        var texts: [Text]
        /// Whether texts are left out because the results are filtered.
        var isUnfiltered: Bool
        /// Whether there is a page with all texts.
        var isReadable: Bool
        var isReleased: Bool
        /// The action that shows the text again that was just hidden.
        var undo: String?
    }

    static let template = "host-results"
    var title: String
    var heading: String
    var alert: String?
    var subtitle: String
    var state: String
    var privacy: String
    /// The paths of the meeting, the series, and this page with its filter.
    var meeting: String
    var seriesPath: String
    var address: String
    var rounds: NeighbouringRounds?
    var canEdit: Bool
    var isDraft: Bool

    /// Says when an anonymous form can be filtered.
    var filterLater: String?
    var filter: ResultsFilter.Values?
    /// How many submissions meet the conditions; nil without a filter.
    var filtered: String?
    /// Says that not all submissions were counted.
    var sampled: String?

    /// The path of the event stream with new numbers.
    var live: String
    var revision: Int
    var submissions: String
    var ring: ResponseRing?
    var withheld: String?
    var questions: [Question]
    var who: WhoAnswers.Values
    var exports: [Exports.Line]

    var charts: ChartScripts?
    var liveScript: String
}

extension HostResultsPage.Question {
    /// - Parameter hidden: The text that was just hidden on this page.
    init(_ part: ResultsQuestions.Part, isFiltered: Bool, hidden: (key: String, action: String)?) {
        let (result, isText) = (part.result, part.result.kind == "text")
        self.init(
            key: result.key, numbers: part.numbers, changes: part.changes,
            hasPicture: !isFiltered && !isText && result.answered > 0,
            texts: part.texts.map { .init(text: $0.text, answerId: $0.id.map { "\($0)" } ?? "") },
            isUnfiltered: isFiltered && isText && result.answered > 0, isReadable: !isFiltered && isText,
            isReleased: result.released == true, undo: hidden?.key == result.key ? hidden?.action : nil)
    }
}
