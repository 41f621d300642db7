import Contract

/// The results of a meeting for its hosts.
struct HostResultsPage: PageModel, Hashable {
    struct Question: TemplateValues, Hashable {
        /// A text answer that a host can hide.
        struct Text: TemplateValues, Hashable {
            /// The texts that equal the first one.
            struct Others: TemplateValues, Hashable {
                struct Other: TemplateValues, Hashable {
                    var text: String
                    var answerId: String
                }

                var label: String
                var others: [Other]
            }

            var text: String
            var answerId: String
            var same: Others?

            init(_ group: EqualTexts) {
                func id(_ text: EqualTexts.Text) -> String { text.id.map { "\($0)" } ?? "" }
                (text, answerId) = (group.texts[0].text, id(group.texts[0]))
                same = group.label.map { label in
                    Others(label: label, others: group.texts.dropFirst().map { .init(text: $0.text, answerId: id($0)) })
                }
            }
        }

        var key: String
        var numbers: QuestionNumbers
        /// The numbers of the grid of which this is the first statement.
        var grid: GridNumbers?
        /// Whether this is the last statement of a grid whose numbers are shown together.
        var endsGrid: Bool
        var changes: WordingChanges.Values?
        var hasPicture: Bool
        var texts: [Text]
        /// Whether the texts are people's own answers to a choice.
        var hasOwnWords: Bool
        /// Whether texts are left out because the results are filtered.
        var omitsTexts: Bool
        /// Whether there is a page with all texts.
        var hasTextsPage: Bool
        /// Whether there are links or buttons about the texts.
        var hasTextActions: Bool
        /// Whether the texts can be released to participants.
        var isReleasable: Bool
        /// Whether the texts are released to participants.
        var isReleased: Bool
        /// The action that unhides the text that was just hidden.
        var undoAction: String?
    }

    static let template = "host-results"
    var title: String
    var head: MeetingHead
    var alert: String?
    var meetingPath: String
    /// The address of this page with its filter.
    var address: String
    var canEdit: Bool
    var isDraft: Bool

    /// Says that the answers were deleted; nil if they are stored.
    var deletedNotice: String?
    /// Says when an anonymous form can be filtered.
    var filterLaterNotice: String?
    var filter: ResultsFilter.Values?
    /// The number of submissions that meet the conditions. Nil without a filter.
    var filteredCount: String?
    /// Says that not all submissions were counted. Nil if all were.
    var sampledNotice: String?

    /// The path of the event stream that reports new results.
    var livePath: String
    var revision: Int
    /// What was decided at the last round and at this one.
    var decisions: [DecisionList]
    var submissions: String
    var ring: ResponseRing?
    /// Says that there are more submissions than people. Nil if there are not.
    var exceededNotice: String?
    /// Says how many submissions the minimum group withholds. Nil if there are none.
    var withheld: String?
    var questions: [Question]
    var who: WhoAnswers.Values
    var exports: [Exports.Line]

    var charts: ChartScripts?
    var liveScript: String
}

extension HostResultsPage.Question {
    /// - Parameter hidden: The question of the text that was just hidden on this page, and the action that unhides it.
    init(
        _ part: ResultsQuestions.Part, isFiltered: Bool, hidden: (key: String, action: String)?, areTextsDeleted: Bool
    ) {
        let (result, isText) = (part.result, part.result.kind == "text")
        let texts = isText ? result.answered : result.ownAnswers
        self.init(
            key: result.key, numbers: part.numbers, grid: part.grid, endsGrid: part.endsGrid, changes: part.changes,
            hasPicture: !isFiltered && !isText && result.answered > 0,
            texts: part.texts.map(Text.init), hasOwnWords: !isText && !part.texts.isEmpty,
            omitsTexts: isFiltered && texts > 0,
            hasTextsPage: !isFiltered && texts > 0 && !areTextsDeleted,
            hasTextActions: !isFiltered && (isText || texts > 0) && !areTextsDeleted,
            isReleasable: !isFiltered && isText && !areTextsDeleted,
            isReleased: result.released == true,
            undoAction: hidden?.key == result.key ? hidden?.action : nil)
    }
}
