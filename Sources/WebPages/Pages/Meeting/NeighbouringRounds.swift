import HTTPAPI

/// Links to the rounds of a series just before and after one of its meetings.
enum NeighbouringRounds {
    /// Nil if there is neither.
    ///
    /// - Parameter place: which of a round's pages to lead to.
    static func values(of details: HostReader.MeetingDetails, place: String = "") -> [String: Any]? {
        var values: [String: Any] = [:]
        for (name, round) in [("earlier", details.earlier), ("later", details.later)] {
            values[name] = round.map { ["href": "/meetings/\($0.id)\(place)", "number": $0.round] }
        }
        return values.isEmpty ? nil : values
    }
}
