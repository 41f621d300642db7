/// One meeting for its hosts.
struct MeetingPage: PageModel {
    /// The results in short.
    struct ResultsSection: TemplateValues {
        /// The path of the event stream with new numbers.
        var live: String
        var revision: Int
        var submissions: String
        var ring: ResponseRing?
        var withheld: String?
        var brief: [ResultsBrief.Line]
        var who: WhoAnswers.Values
    }

    static let template = "host-meeting"
    var title: String
    var alert: String?
    var id: String
    var seriesId: String
    var path: String
    var subtitle: String
    var state: String
    var privacy: String
    var rounds: NeighbouringRounds?
    /// Time, place and headcount.
    var facts: String?
    var canEdit: Bool

    var isDraft: Bool
    var isOpen: Bool
    /// The form's address, as a path and as a link to share.
    var form: String
    var link: String
    var joinCode: String
    /// Set if the form requires personal links.
    var personal: ListedPeople.Values?
    var unreachable: UnreachableAddress?
    var actions: MeetingActions
    var hasDoor: Bool

    /// Which parts are shown, and in which order.
    var isBefore: Bool
    var isInviting: Bool
    var isAfter: Bool
    var isFolded: Bool
    var isFoldOpen: Bool
    var isShut: Bool
    var results: ResultsSection?
    var next: MeetingStage.Next?

    var script: String
    var copyScript: String
}

/// A meeting's code for a projector.
struct ScreenPage: PageModel {
    static let template = "host-screen"
    var title: String
    var id: String
    var isShut: Bool
    /// Why the form accepts no answers.
    var meaning: String
    var canReopen: Bool
    var address: String
    var joinCode: String
    var submissions: Int
    var unreachable: UnreachableAddress?
    var script: String
}
