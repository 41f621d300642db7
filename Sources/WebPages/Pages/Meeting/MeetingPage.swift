/// The page of one meeting, for its hosts.
struct MeetingPage: PageModel {
    /// A summary of the results.
    struct ResultsSection: TemplateValues {
        /// The path of the event stream that reports new results.
        var live: String
        /// The revision of the results on the page.
        var revision: Int
        /// The number of submissions, as text.
        var submissions: String
        var ring: ResponseRing?
        /// Why some answers are not shown.
        var withheld: String?
        /// One line for each question.
        var brief: [ResultsBrief.Line]
        var who: WhoAnswers.Values
    }

    static let template = "host-meeting"
    var title: String
    var alert: String?
    var id: String
    var seriesId: String
    /// The path of this page.
    var path: String
    /// The series and the round.
    var subtitle: String
    /// The name of the form's state.
    var state: String
    /// What the form records about its respondents, as one phrase.
    var privacy: String
    var rounds: NeighbouringRounds?
    /// Time, place and headcount.
    var facts: String?
    var canEdit: Bool

    var isDraft: Bool
    var isOpen: Bool
    /// The form's path.
    var form: String
    /// The form's address, to be shared.
    var link: String
    var joinCode: String
    /// Set if the form requires personal links.
    var personal: ListedPeople?
    var unreachable: UnreachableAddress?
    var actions: MeetingActions
    /// Whether the page links to the check-in code for the door.
    var hasDoor: Bool

    // Which parts are shown, and in which order: see `MeetingPhase`.
    var isBefore: Bool
    var isInviting: Bool
    var isFolded: Bool
    var isFoldOpen: Bool
    var isShut: Bool
    var results: ResultsSection?
    var next: MeetingPhase.Next?

    var script: String
    var copyScript: String
}
