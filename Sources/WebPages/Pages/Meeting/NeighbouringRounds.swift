import HTTPAPI

/// Links to the rounds of a series just before and after one of its meetings.
struct NeighbouringRounds: TemplateValues {
    struct Link: TemplateValues {
        var href: String
        var number: Int
    }

    var earlier: Link?
    var later: Link?

    /// Nil if there is neither.
    ///
    /// - Parameter subpage: The page of the round to link to, such as `/results`.
    init?(of details: HostReader.MeetingDetails, subpage: String = "") {
        func link(_ round: HostReader.MeetingDetails.Neighbor?) -> Link? {
            round.map { Link(href: "/meetings/\($0.id)\(subpage)", number: $0.round) }
        }
        (earlier, later) = (link(details.earlier), link(details.later))
        if earlier == nil, later == nil { return nil }
    }
}
