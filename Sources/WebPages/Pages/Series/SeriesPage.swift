/// The first tab of a series, for its hosts: how the answers change from round to round.
struct SeriesPage: PageModel {
    static let template = "series"
    var title: String
    var head: SeriesHead
    var isTrashed: Bool
    var canEdit: Bool
    /// The path of this page. The paths of the series' other pages begin with it.
    var path: String
    var latest: LatestRound?
    /// The next round, if it was created already.
    var planned: RoundLink?
    /// What was decided at the newest round at which something was decided.
    var decided: DecisionList?
    /// Whether no question has numbers for two rounds yet.
    var lacksTrends: Bool
    var trends: [SeriesTrends.Values]
    /// Whether the series has questions whose trends the page does not show.
    var hasMoreTrends: Bool
    var exports: [Exports.Line]
}
