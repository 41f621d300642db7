/// The page of one series, for its hosts.
struct SeriesPage: PageModel {
    /// The advice for an address without an account, to which the host wanted to give access.
    struct Stranger: TemplateValues {
        var text: String
        /// Whether the reader may invite people.
        var canInvite: Bool
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
    var faultyFields: [FieldLink]
    var stranger: Stranger?
    var role: String
    /// Whether the series belongs to the reader.
    var isOwn: Bool
    var owner: String
    var members: String
    var canEdit: Bool
    /// Whether the reader has the rights of the owner, as admins do.
    var isOwner: Bool
    var isTrashed: Bool
    /// When a series in the trash is deleted permanently.
    var until: String?
    /// When answers are deleted; nil if they are kept.
    var retention: String?
    var path: String

    /// The next round, if it was created already.
    var planned: RoundLink?
    /// The idempotency key of the form for the next round.
    var key: String
    var start: String
    var startsAtFault: String?
    var end: String
    var endsAtFault: String?
    var zone: String
    var count: String
    var repeatFault: String?
    /// Whether the times overlap another meeting.
    var hasOverlap: Bool

    var hasTrends: Bool
    /// Whether no question has numbers for two rounds yet.
    var lacksTrends: Bool
    var trends: [SeriesTrends.Values]
    /// Whether the series has questions whose trends the page does not show.
    var hasMoreTrends: Bool
    var meetings: [Round]
    /// The label of the link to all rounds. Nil if all are shown.
    var showAllLabel: String?
    /// Whether there are more rounds than one page lists.
    var hasMoreRounds: Bool
    var exports: [Exports.Line]

    /// The address in the poster's QR code.
    var address: String
    var unreachable: UnreachableAddress?

    var hosts: [SeriesHosts.Host]
    /// The address of a new co-host.
    var email: String
    var emailFault: String?
    /// Whether the form for a new co-host has the role `viewer` selected.
    var isViewerChosen: Bool
    var hasInvited: Bool
    var invited: [SeriesHosts.Invited]
    /// The link of an invitation that was just created.
    var newInvitation: OneTimeSecret?

    /// The ETag of the series, so that a rename does not overwrite another change.
    var tag: String
    var newTitle: String
    var titleFault: String?
    /// The field for the retention. Nil unless the reader has the rights of the owner.
    var retentionField: PageField.Values?
    var script: String
}
