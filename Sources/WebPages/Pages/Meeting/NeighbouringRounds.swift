import HTTPAPI

/// Links from a meeting's page to the previous and the next round of the series.
struct NeighbouringRounds: TemplateValues, Hashable {
    struct Link: TemplateValues, Hashable {
        var href: String
        var number: Int
    }

    var earlier: Link?
    var later: Link?

    /// Nil for the only round of a series.
    ///
    /// - Parameter subpage: The part of the linked round's path after its id, such as `/results`.
    init?(of details: HostReader.MeetingDetails, subpage: String = "") {
        func link(_ round: HostReader.MeetingDetails.Neighbour?) -> Link? {
            round.map { Link(href: "/meetings/\($0.id)\(subpage)", number: $0.round) }
        }
        (earlier, later) = (link(details.earlier), link(details.later))
        if earlier == nil, later == nil { return nil }
    }
}
