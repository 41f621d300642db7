/// One series for its hosts.
struct SeriesPage: PageModel {
    /// What to do about an address without an account.
    struct Stranger: TemplateValues {
        var text: String
        /// Whether the reader may invite people.
        var invites: Bool
    }

    /// A link to a faulty field, which may be far below the alert.
    struct FieldLink: TemplateValues {
        var id: String
        var label: String
    }

    struct Round: TemplateValues {
        var id: String
        var round: Int
        var title: String
        var when: String
        var state: String
        var submissions: Int
        /// The response rate.
        var rate: String
    }

    static let template = "series"
    var title: String
    var alert: String?
    var places: [FieldLink]
    var stranger: Stranger?
    var role: String
    /// Whether the series belongs to the reader.
    var isOwn: Bool
    var owner: String
    var members: String
    var canEdit: Bool
    /// Whether the reader has the rights of the owner, as an admin has.
    var isOwner: Bool
    var isTrashed: Bool
    var path: String

    var planned: RoundLink?
    var key: String
    var start: String
    var startsAtFault: String?
    var end: String
    var endsAtFault: String?
    var zone: String
    var count: String
    var repeatFault: String?
    /// Whether the times overlap another meeting.
    var overlaps: Bool

    var hasTrends: Bool
    /// Whether no trend has two rounds yet.
    var trendsLater: Bool
    var trends: [SeriesTrends.Values]
    var moreTrends: Bool
    var meetings: [Round]
    /// Leads to all rounds, if not all are shown.
    var showAll: String?
    var moreRounds: Bool
    var exports: [Exports.Line]

    /// The address of the poster's code.
    var address: String
    var unreachable: UnreachableAddress?

    var hosts: [SeriesHosts.Host]
    var email: String
    var emailFault: String?
    var asViewer: Bool
    var hasInvited: Bool
    var invited: [SeriesHosts.Invited]
    /// The link of a new invitation.
    var made: OneTimeSecret?

    var tag: String
    var newTitle: String
    var titleFault: String?
    var script: String
}
